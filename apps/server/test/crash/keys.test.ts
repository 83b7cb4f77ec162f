/** After kill -9, a send that is repeated under its `Idempotency-Key` was sent once (spec: decisions.idempotency.once). */
import { describe, expect, it } from "@effect/vitest"
import { eventually, temporaryFolder } from "@mailroom/test-services"
import { Effect } from "effect"
import { type Account, at, verifiedAccount } from "../support/account.js"
import { rows } from "../support/database.js"
import type { Answer } from "../support/http.js"
import { startServer } from "../support/server.js"
import { unlimited } from "../support/settled.js"

const quick = { ...unlimited, SEND_VELOCITY_PER_MINUTE: "100000" }

/** Kills of a run; `npm run soak` has more. */
const ROUNDS = Number(process.env["CRASH_ROUNDS"] ?? 2)
const LINES = 4

/** Sends a mail that bears the name of its key. */
const send = (account: Account, key: string): Effect.Effect<Answer> =>
  account.call(`POST /v1/mailboxes/${account.mailboxId}/messages`, {
    body: { to: ["bob@partner.dev"], subject: key, bodyText: "Once." },
    headers: { "idempotency-key": key },
  })

const captured = (folder: string) =>
  Effect.map(rows(folder, "SELECT raw FROM captured_mails"), (mails) =>
    mails.map(
      ({ raw }) => /^Subject: (\S+)/m.exec(Buffer.from(raw instanceof Uint8Array ? raw : []).toString())?.[1],
    ),
  )

describe("after kill -9", () => {
  it.scopedLive(
    "a send that is repeated under its key is the same message, or known to be unknown, and never two mails",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        let server = yield* startServer(folder, quick)
        const account = yield* verifiedAccount(server, "keyed")
        const asked: Array<string> = []
        const answered = new Map<string, Answer>()
        for (let round = 0; round < ROUNDS; round++) {
          const killed = server
          const before = answered.size
          const line = (name: number) =>
            Effect.gen(function* () {
              for (let n = 0; ; n++) {
                const key = `key-${round}-${name}-${n}`
                asked.push(key)
                answered.set(key, yield* send(at(killed, account), key))
              }
            }).pipe(Effect.exit)
          const enough = eventually(
            `round ${round}: sends are answered`,
            Effect.sync(() => answered.size),
            (size) => size > before + ((round * 5) % 13),
          )
          yield* Effect.all(
            [
              Effect.zipRight(enough, killed.stop("SIGKILL")),
              ...Array.from({ length: LINES }, (_, n) => line(n)),
            ],
            { concurrency: "unbounded" },
          )
          server = yield* startServer(folder, quick)
        }
        const repeated = yield* Effect.forEach(asked, (key) =>
          Effect.map(send(at(server, account), key), (answer) => ({ key, answer })),
        )
        const mails = yield* captured(folder)
        const mailsOf = (wanted: string) => mails.filter((subject) => subject === wanted).length
        expect(new Set([...answered.values()].map(({ status }) => status))).toEqual(new Set([201]))
        for (const { key, answer } of repeated) {
          const first = answered.get(key)
          if (first !== undefined) expect(answer.text).toBe(first.text)
          if (answer.status === 201) expect([key, mailsOf(key)]).toEqual([key, 1])
          else {
            expect([key, answer.status, answer.json]).toMatchObject([
              key,
              409,
              { code: "SEND_OUTCOME_UNKNOWN" },
            ])
            expect(mailsOf(key)).toBeLessThanOrEqual(1)
          }
        }
      }),
    300_000 + ROUNDS * 30_000,
  )
})
