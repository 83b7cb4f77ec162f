/**
 * What a quiet tenant notices while another floods the service: the p99 of its own, alone and meanwhile, in one run. A row
 * names what the quiet tenant does and what the other floods with.
 */
import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { Console, Effect, Schema, type Scope } from "effect"
import { type Account, newMailbox, unlimitedAccount, untilReceived } from "./harness/account.js"
import { type Benchmark, program } from "./harness/alone.js"
import { atMost, figure, table } from "./harness/checks.js"
import { call } from "./harness/http.js"
import { type Mailroom, startMailroom } from "./harness/mailroom.js"
import { ask, BenchFailure } from "./harness/processes.js"
import { percentile } from "./harness/stats.js"
import { sendMails } from "./load.js"

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

const rows: ReadonlyArray<Row> = (["silent", "slow", "quick"] as const).map((receiver) => ({
  what: `webhook, beside ${FLOODED_WEBHOOKS} ${receiver} ones`,
  probe: webhookProbe,
  flood: webhookFlood(receiver),
}))

const measured = ({ probe, flood }: Row) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* startMailroom({ settings: { WEBHOOK_ALLOW_PRIVATE: "true" } })
      const sample = yield* probe(server)
      yield* sampled(sample, WARM_UP_SAMPLES)
      const alone = yield* sampled(sample, SAMPLES)
      yield* flood(server)
      const beside = yield* sampled(sample, SAMPLES)
      return { alone, beside }
    }),
  )

export const fairness: Benchmark = Effect.gen(function* () {
  yield* Console.log(`\nA quiet tenant while another floods, ${SAMPLES} samples, ms`)
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

program(import.meta.url, fairness, 5)
