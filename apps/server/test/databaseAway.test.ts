/** While the database is away or silent, nothing is lost and clients get temporary errors; the service recovers by itself. */
import { describe, expect, it } from "@effect/vitest"
import { type ProxyState, eventually, deliver, plainMail } from "@mailroom/test-services"
import { Duration, Effect } from "effect"
import { signUp } from "./support/account.js"
import { openStream } from "./support/eventStream.js"
import { call } from "./support/http.js"
import { manyProcesses } from "./support/manyProcesses.js"
import { messages } from "./support/messages.js"

const SMTP_ANSWERS_WITHIN = 10_000

const cases: ReadonlyArray<readonly [what: string, state: ProxyState]> = [
  ["whose connections are lost", "closed"],
  ["that does not answer any more", "held"],
]

describe.concurrent("a database", () => {
  for (const [what, state] of cases)
    it.scopedLive(
      `${what}: 451, 503 in JSON with Retry-After, streams stay open, and all goes on when it is back`,
      () =>
        Effect.gen(function* () {
          const { start, proxy } = yield* manyProcesses()
          const server = yield* start()
          const account = yield* signUp(server, `away-${state}`)
          const stream = yield* openStream(server, account.key)
          expect(yield* deliver(server.smtpPort, account.address, plainMail("before"))).toMatch(/^250/)
          yield* stream.received(1)

          proxy.set(state)
          const [[took, reply], answer] = yield* Effect.all(
            [
              Effect.timed(deliver(server.smtpPort, account.address, plainMail("during"))),
              call(server, "GET /v1/account", { key: account.key }),
            ],
            { concurrency: 2 },
          )
          expect(reply).toMatch(/^451 4\.3\.0 /)
          expect(Duration.toMillis(took)).toBeLessThan(SMTP_ANSWERS_WITHIN)
          expect(answer.status).toBe(503)
          expect(answer.headers.get("retry-after")).toMatch(/^\d+$/)
          expect(answer.json).toMatchObject({ code: "STORAGE_UNAVAILABLE" })
          expect((yield* call(server, "GET /healthz")).status).toBe(200)
          const readiness = yield* call(server, "GET /readyz")
          expect([readiness.status, readiness.json]).toMatchObject([
            503,
            { status: "storage unavailable", database: expect.stringMatching(/^cannot write: no /) },
          ])
          expect(stream.isOver()).toBe(false)

          proxy.set("open")
          // The sender tries again, as senders do.
          yield* eventually(
            "mail is accepted again",
            deliver(server.smtpPort, account.address, plainMail("during")),
            (said) => said.startsWith("250"),
          )
          const frames = yield* stream.received(2)
          expect(stream.isOver()).toBe(false)
          expect(frames.map(({ event }) => event)).toEqual(["message.received", "message.received"])
          expect((yield* messages(account)).map(({ subject }) => subject)).toEqual(["during", "before"])
        }),
    )
})
