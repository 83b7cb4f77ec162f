/**
 * What a quiet tenant notices while another floods the service: the p99 of its own, alone and meanwhile, in one run. A row
 * names what the quiet tenant does and what the other floods with.
 */
import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { Console, Effect, Schema, type Scope } from "effect"
import { openEventStream } from "./eventStream.js"
import { type Account, newMailbox, unlimitedAccount, untilReceived } from "./harness/account.js"
import { type Benchmark, program } from "./harness/alone.js"
import { atMost, figure, table } from "./harness/checks.js"
import { call } from "./harness/http.js"
import { type Mailroom, startMailroom } from "./harness/mailroom.js"
import { ask, BenchFailure } from "./harness/processes.js"
import { percentile } from "./harness/stats.js"
import { sendMails } from "./load.js"
import { mailPress } from "./mails.js"
import { deliver, greetedSession } from "./smtpSession.js"

/** Each begins with a new service. Its samples count together with those of the others: the p99 of 150 is the second slowest. */
const ROUNDS = 3
const SAMPLES = 150
const WARM_UP_SAMPLES = 50
/** Between two samples, milliseconds. */
const REST = 20
/** For one sample, milliseconds. */
const SAMPLE_TIMEOUT = 30_000
/** How many times its quiet p99 a tenant may wait. */
const LIMIT = 3

interface Row {
  readonly what: string
  /** One thing that the quiet tenant does: milliseconds until it is done. */
  readonly probe: (server: Mailroom) => Effect.Effect<() => Promise<number>, BenchFailure, Scope.Scope>
  /** Returns when the flood has begun; it lasts while the samples are taken. */
  readonly flood: (server: Mailroom) => Effect.Effect<void, BenchFailure, Scope.Scope>
}

const sampled = (probe: () => Promise<number>, samples: number) =>
  Effect.tryPromise({
    try: async () => {
      const taken: Array<number> = []
      while (taken.length < samples) {
        taken.push(await probe())
        await sleep(REST)
      }
      return taken
    },
    catch: (error) => new BenchFailure({ message: String(error) }),
  })

const Created = Schema.Struct({ webhook: Schema.Struct({ id: Schema.String }) })

const newWebhook = ({ baseUrl, key }: Account, url: string) =>
  Effect.map(
    call(
      { method: "POST", url: `${baseUrl}/v1/webhooks`, key, body: { url, events: ["message.received"] } },
      Created,
    ),
    ({ webhook }) => webhook.id,
  )

/** A receiver in this process; `arrival` ends with the next post. */
const ownReceiver = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      let arrived = () => {}
      const server = createServer((request, response) => {
        arrived()
        request.resume()
        response.end()
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const arrival = () =>
        new Promise<void>((resolve, reject) => {
          const timer = setTimeout(() => reject(new Error("a webhook did not arrive")), SAMPLE_TIMEOUT)
          arrived = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      return { server, arrival }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      }),
  ),
  ({ server, arrival }) => {
    const address = server.address()
    return { port: typeof address === "object" && address !== null ? address.port : 0, arrival }
  },
)

/** From asking for a test delivery to its arrival. */
const webhookProbe: Row["probe"] = ({ baseUrl }) =>
  Effect.gen(function* () {
    const quiet = yield* unlimitedAccount(baseUrl, "quiet")
    yield* newMailbox(quiet, "quiet")
    const { port, arrival } = yield* ownReceiver
    const id = yield* newWebhook(quiet, `http://127.0.0.1:${port}/`)
    const request = { method: "POST", headers: { authorization: `Bearer ${quiet.key}` } }
    return async () => {
      const before = performance.now()
      const arrived = arrival()
      const answer = await fetch(`${baseUrl}/v1/webhooks/${id}/test`, request)
      if (answer.status !== 202) throw new Error(`a test delivery: ${answer.status} ${await answer.text()}`)
      await answer.arrayBuffer()
      await arrived
      return performance.now() - before
    }
  })

/** As many as an account may have. */
const FLOODED_WEBHOOKS = 100
/** Each is a delivery for each of them. */
const FLOOD_MAILS = 100

/** One account, a hundred webhooks, ten thousand deliveries. */
const webhookFlood =
  (receiver: "quick" | "slow" | "silent"): Row["flood"] =>
  ({ baseUrl, smtpPort }) =>
    Effect.gen(function* () {
      const flooder = yield* unlimitedAccount(baseUrl, "flooder")
      const mailbox = yield* newMailbox(flooder, "flooder")
      const { port } = yield* ask("hookReceivers", {}, Schema.Struct({ port: Schema.Int }))
      for (let n = 0; n < FLOODED_WEBHOOKS; n++)
        yield* newWebhook(flooder, `http://127.0.0.1:${port}/${receiver}`)
      const load = { port: smtpPort, recipient: mailbox.address, bytes: 2048, run: `flood ${receiver}` }
      yield* sendMails({ ...load, mails: FLOOD_MAILS })
      yield* untilReceived(flooder, mailbox, FLOOD_MAILS, SAMPLE_TIMEOUT)
    })

/** From the 250 of a mail to its event. */
const mailProbe: Row["probe"] = ({ baseUrl, smtpPort }) =>
  Effect.gen(function* () {
    const quiet = yield* unlimitedAccount(baseUrl, "quiet")
    const { address } = yield* newMailbox(quiet, "quiet")
    const stream = yield* openEventStream(`${baseUrl}/v1/events`, quiet.key)
    const session = yield* Effect.acquireRelease(
      Effect.promise(() => greetedSession(smtpPort)),
      ({ close }) => Effect.sync(close),
    )
    const press = mailPress("quiet", address, MAIL_BYTES)
    let serial = 0
    return async () => {
      serial += 1
      const frame = stream.arrival(`Your order ${String(serial).padStart(10, "0")} `)
      const reply = await deliver(session, { from: "orders@sender.example", to: address }, press(serial))
      const acceptedAt = performance.now()
      if (reply.code !== 250) throw new Error(`refused: ${reply.text}`)
      return Math.max(0, (await frame) - acceptedAt)
    }
  })

const MAIL_BYTES = 4096
/** Mails of one flood: more than it comes to send. */
const FLOOD_MAX_MAILS = 1_000_000
/** Delivered mails of the flood from which on the samples count. */
const FLOOD_BEGUN = 20

/** One account, mail after mail on twenty sessions, for as long as the samples take. */
const mailFlood =
  (bytes: number): Row["flood"] =>
  ({ baseUrl, smtpPort }) =>
    Effect.gen(function* () {
      const flooder = yield* unlimitedAccount(baseUrl, "flooder")
      const mailbox = yield* newMailbox(flooder, "flooder")
      const load = { port: smtpPort, recipient: mailbox.address, bytes, mails: FLOOD_MAX_MAILS, run: "flood" }
      yield* Effect.forkScoped(sendMails(load))
      yield* untilReceived(flooder, mailbox, FLOOD_BEGUN, SAMPLE_TIMEOUT)
    })

/** One send, from the request to its 201. */
const sendProbe: Row["probe"] = ({ baseUrl }) =>
  Effect.gen(function* () {
    const quiet = yield* unlimitedAccount(baseUrl, "quiet")
    const { id } = yield* newMailbox(quiet, "quiet")
    return () => timedSend(baseUrl, quiet.key, id)
  })

const timedSend = async (baseUrl: string, key: string, mailboxId: string): Promise<number> => {
  const before = performance.now()
  const answer = await fetch(`${baseUrl}/v1/mailboxes/${mailboxId}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ to: ["bob@partner.dev"], subject: "Fair", bodyText: "Hello." }),
  })
  const text = await answer.text()
  if (answer.status !== 201) throw new Error(`a send: ${answer.status} ${text}`)
  return performance.now() - before
}

/** Mailboxes of the flood, each of which sends one message after another. */
const FLOODED_MAILBOXES = 16

const sendFlood: Row["flood"] = ({ baseUrl }) =>
  Effect.gen(function* () {
    const flooder = yield* unlimitedAccount(baseUrl, "flooder")
    for (let n = 0; n < FLOODED_MAILBOXES; n++) {
      const { id } = yield* newMailbox(flooder, `flooder${n}`)
      const send = Effect.tryPromise({
        try: () => timedSend(baseUrl, flooder.key, id),
        catch: (error) => new BenchFailure({ message: String(error) }),
      })
      yield* Effect.forkScoped(Effect.forever(send))
    }
  })

const rows: ReadonlyArray<Row> = [
  ...(["silent", "slow", "quick"] as const).map((receiver) => ({
    what: `webhook, beside ${FLOODED_WEBHOOKS} ${receiver} ones`,
    probe: webhookProbe,
    flood: webhookFlood(receiver),
  })),
  { what: "mail, beside a flood of 4 kB", probe: mailProbe, flood: mailFlood(MAIL_BYTES) },
  { what: "mail, beside a flood of 5 MB", probe: mailProbe, flood: mailFlood(5 * 1024 * 1024) },
  { what: `send, beside ${FLOODED_MAILBOXES} mailboxes that send`, probe: sendProbe, flood: sendFlood },
]

const round = ({ probe, flood }: Row) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* startMailroom({
        settings: { WEBHOOK_ALLOW_PRIVATE: "true", SEND_VELOCITY_PER_MINUTE: "100000" },
      })
      const sample = yield* probe(server)
      yield* sampled(sample, WARM_UP_SAMPLES)
      const alone = yield* sampled(sample, SAMPLES)
      yield* flood(server)
      const beside = yield* sampled(sample, SAMPLES)
      return { alone, beside }
    }),
  )

const measured = (row: Row) =>
  Effect.map(Effect.replicateEffect(round(row), ROUNDS), (rounds) => ({
    alone: rounds.flatMap(({ alone }) => alone),
    beside: rounds.flatMap(({ beside }) => beside),
  }))

export const fairness: Benchmark = Effect.gen(function* () {
  yield* Console.log(`\nA quiet tenant while another floods, ${ROUNDS * SAMPLES} samples, ms`)
  const results = yield* Effect.forEach(rows, (row) =>
    Effect.map(measured(row), ({ alone, beside }) => ({
      what: row.what,
      alone: percentile(alone, 0.99),
      beside: percentile(beside, 0.99),
      medians: [percentile(alone, 0.5), percentile(beside, 0.5)],
    })),
  )
  yield* Console.log(
    table([
      ["", "p50 alone", "p50 beside", "p99 alone", "p99 beside"],
      ...results.map(({ what, alone, beside, medians }) => [
        what,
        ...[...medians, alone, beside].map(figure),
      ]),
    ]),
  )
  return results.map(({ what, alone, beside }) =>
    atMost(`${what}: p99, of its quiet p99`, beside / alone, LIMIT, "x"),
  )
})

program(import.meta.url, fairness, 20)
