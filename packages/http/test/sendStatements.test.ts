/** What a send over HTTP costs the database: its statements on Postgres, counted on the wire (docs/decisions/0043). */
import { describe, expect, it } from "@effect/vitest"
import { AttachmentId, Message } from "@mailroom/domain"
import { countingStatements, freshDatabase } from "@mailroom/test-services"
import type { InMemoryHttp } from "@mailroom/testing"
import { Effect, Schema } from "effect"
import { owner } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { serviceOn } from "./support/postgres.js"

const SENDS = 10
const mail = { to: ["bob@partner.dev"], subject: "Hello", bodyText: "How are you?" }

const Sent = Schema.Struct({ message: Message })
const Uploaded = Schema.Struct({ id: AttachmentId })

describe("the statements of a send by API key, over Postgres", () => {
  it.scoped(
    "are 14, with a file 16, of an answer 19: transactions, authentication and signals included",
    () =>
      Effect.gen(function* () {
        const counter = yield* countingStatements(yield* freshDatabase())
        yield* Effect.gen(function* () {
          const { key, mailboxId } = yield* owner("active")
          const route = `POST /v1/mailboxes/${mailboxId}/messages`
          /** How many statements each of some requests takes; what runs beside them is less than one for each. */
          const each = <A>(request: Effect.Effect<A, never, InMemoryHttp>) =>
            Effect.gen(function* () {
              yield* request
              const before = counter.count()
              yield* Effect.replicateEffect(request, SENDS, { discard: true })
              return Math.floor((counter.count() - before) / SENDS)
            })
          const send = (body: object) =>
            Effect.map(ask(route, { key, body }), (answer) => {
              expect(answer.status).toBe(201)
              return read(Sent)(answer).message
            })
          expect(yield* each(send(mail))).toBeLessThanOrEqual(14)

          const uploadOne = Effect.suspend(() => {
            const form = new FormData()
            form.append("file", new Blob(["12345"]), "a.txt")
            return Effect.map(ask("POST /v1/attachments", { key, body: form }), read(Uploaded))
          })
          const uploads = yield* Effect.replicateEffect(uploadOne, SENDS + 1)
          const ids = uploads.map(({ id }) => id)
          const withFile = Effect.suspend(() => send({ ...mail, attachments: [ids.pop()] }))
          expect(yield* each(withFile)).toBeLessThanOrEqual(16)

          const { id } = yield* send(mail)
          const reply = Effect.map(
            ask(`${route}/${id}/reply`, { key, body: { bodyText: "And you?" } }),
            ({ status }) => expect(status).toBe(201),
          )
          expect(yield* each(reply)).toBeLessThanOrEqual(19)
        }).pipe(Effect.provide(serviceOn(counter.url)))
      }),
  )
})
