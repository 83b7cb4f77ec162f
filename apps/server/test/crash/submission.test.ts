/**
 * After kill -9 during submissions: a mail that was answered with 250 was sent once, a client that lost the reply submits the
 * mail again, and no mail is sent twice.
 */
import { expect, it } from "@effect/vitest"
import { CLOSED, freePort, smtpSession, temporaryFolder } from "@mailroom/test-services"
import { Effect } from "effect"
import { simpleParser } from "mailparser"
import { type Account, linkToken, signUp } from "../support/account.js"
import { call } from "../support/http.js"
import { names } from "../support/offer.js"
import { relaySink } from "../support/relaySink.js"
import { startServer } from "../support/server.js"

/** Kills of a run; `npm run soak` has more. */
const ROUNDS = Number(process.env["CRASH_ROUNDS"] ?? 2)
const MAILS = 12 * ROUNDS

/** Submits the mails in turn until the connection breaks. Calls back with the reply to each. */
const submitAll = (
  port: number,
  { address, key }: Account,
  mails: ReadonlyArray<string>,
  replied: (name: string, reply: string) => void,
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* smtpSession(port)
      const credentials = Buffer.from(`\0${address}\0${key}`).toString("base64")
      if (!(yield* client.say(`AUTH PLAIN ${credentials}`)).startsWith("235")) return
      for (const name of mails) {
        const to = `${name}@partner.dev`
        for (const line of [`MAIL FROM:<${address}>`, `RCPT TO:<${to}>`, "DATA"]) yield* client.say(line)
        yield* client.write(
          `From: ${address}\r\nTo: ${to}\r\nSubject: ${name}\r\nMessage-ID: <${name}@client.example>\r\n\r\nHello\r\n`,
        )
        const reply = yield* client.say(".")
        if (reply === CLOSED) return
        replied(name, reply)
      }
    }),
  )

it.scopedLive("every mail is sent once, or its client learns that it may have been", () =>
  Effect.gen(function* () {
    const relay = yield* relaySink
    const [folder, port] = [yield* temporaryFolder, yield* freePort]
    const start = startServer(folder, {
      OUTBOUND_URL: relay.url,
      BILLING: "none",
      DEFAULT_PLAN: "Scale",
      SEND_VELOCITY_PER_MINUTE: "10000",
      SUBMISSION_PORT: String(port),
    })
    const ended = new Map<string, string>()
    const keep = (name: string, reply: string) => {
      if (!reply.startsWith("451")) ended.set(name, reply)
    }
    const all = names(MAILS, "submitted")
    let server = yield* start
    const account = yield* signUp(server, "submitting")
    const { raw } = yield* relay.firstTo(account.email)
    const { text } = yield* Effect.promise(() => simpleParser(raw))
    yield* call(server, "POST /v1/auth/verify-email", { body: { token: linkToken(text) } })

    for (let round = 0; round < ROUNDS; round++) {
      // Kills it at another moment of a transaction in each round: when the relay has the mail, or a reply has left.
      const killAt = relay.received.length + 4
      const { pid } = server
      const watch = setInterval(() => {
        if (relay.received.length >= killAt) process.kill(pid, "SIGKILL")
      }, 1 + round)
      const left = all.filter((name) => !ended.has(name))
      yield* submitAll(port, account, left, keep)
      yield* server.ended
      clearInterval(watch)
      server = yield* start
    }
    for (let tries = 0; ended.size < all.length && tries < 100; tries++)
      yield* submitAll(
        port,
        account,
        all.filter((name) => !ended.has(name)),
        keep,
      )

    const sentTo = (name: string) => relay.received.filter(({ to }) => to[0] === `${name}@partner.dev`).length
    for (const name of all) {
      const reply = ended.get(name) ?? "no reply"
      if (reply.startsWith("250")) expect([name, sentTo(name)]).toEqual([name, 1])
      else
        expect([name, reply, sentTo(name) <= 1]).toEqual([name, expect.stringMatching(/^554 5\.4\.2/), true])
    }
    const unknown = [...ended.values()].filter((reply) => reply.startsWith("554"))
    expect(unknown.length).toBeLessThanOrEqual(ROUNDS)
  }),
)
