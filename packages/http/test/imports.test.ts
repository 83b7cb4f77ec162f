/** Imports beyond `messages.import.*`: large bodies, parameters, and repetition under a key. */
import { describe } from "@effect/vitest"
import { MessagesPage } from "@mailroom/api"
import { INLINE_MAX_BYTES, LABELS_MAX, Message } from "@mailroom/domain"
import { type Call } from "@mailroom/testing"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import { type Owner, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { inOneService } from "./support/service.js"

const One = Schema.Struct({ message: Message })

const importing = ({ key, mailboxId }: Owner, body: string, query = "", headers: Call["headers"] = {}) =>
  ask(`POST /v1/mailboxes/${mailboxId}/import${query}`, {
    key,
    body,
    headers: { "content-type": "message/rfc822; charset=us-ascii", ...headers },
  })

const aMail = (subject: string, text = "Hello") =>
  `From: ada@elsewhere.org\r\nSubject: ${subject}\r\n\r\n${text}\r\n`

inOneService((shared) => {
  describe("POST /v1/mailboxes/{id}/import", () => {
    shared("keeps a mail of any size byte by byte", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        for (const size of [10, INLINE_MAX_BYTES + 1]) {
          const mail = aMail(`Of ${size}`, "line\r\n".repeat(size / 6 + 1))
          const { message } = read(One)(yield* importing(account, mail))
          const raw = yield* ask(`GET /v1/mailboxes/${account.mailboxId}/messages/${message.id}/raw`, {
            key: account.key,
          })
          expect(raw.text).toBe(mail)
        }
      }),
    )

    shared("takes labels and the read mark, and names every wrong parameter", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const { message } = read(One)(yield* importing(account, aMail("A"), "?labels=old,flagged&read=false"))
        expect(message).toMatchObject({ labels: ["old", "flagged"], readAt: null })
        const labels = Array.from({ length: LABELS_MAX + 1 }, (_, n) => `l${n}`).join(",")
        const wrong = `?labels=${labels}&read=no&receivedAt=then&direction=UP&folder=x`
        const { status, json } = yield* importing(account, aMail("B"), wrong)
        expect([status, json]).toEqual([
          400,
          expect.objectContaining({
            issues: expect.arrayContaining(
              ["labels", "read", "receivedAt", "direction"].map((path) => expect.objectContaining({ path })),
            ),
          }),
        ])
      }),
    )

    shared("under an Idempotency-Key has its first answer again, and refuses another mail", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const keyed = (subject: string) =>
          importing(account, aMail(subject), "", { "idempotency-key": "import-1" })
        const first = yield* keyed("A")
        const again = yield* keyed("A")
        expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([
          201,
          201,
          "true",
        ])
        expect((yield* keyed("B")).status).toBe(409)
        const { key, mailboxId } = account
        const page = yield* ask(`GET /v1/mailboxes/${mailboxId}/messages`, { key })
        expect(read(MessagesPage)(page).messages).toHaveLength(1)
      }),
    )
  })
})
