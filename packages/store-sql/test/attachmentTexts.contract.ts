/** Contract of `AttachmentTextStore`: a text is kept once, and removed with its attachment. */
import { describe, expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import type { DocumentText } from "@mailroom/domain"
import { AttachmentStore, AttachmentTextStore, MessageStore } from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { aMessage, anAttachment, NOON, storedMailbox } from "./support/records.js"

const hello: DocumentText = { kind: "pdf", text: "Grüße 😀\n".repeat(1000), truncated: false }

const textRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`/* test */ SELECT attachment_id FROM attachment_texts`
})

export const attachmentTextsContract = (name: string, database: Database) =>
  describe(`${name}: text inside attachments`, () => {
    layer(database)((it) => {
      it.effect("keeps the first text of an attachment, for its account alone", () =>
        Effect.gen(function* () {
          const [owner, other] = [yield* storedMailbox, yield* storedMailbox]
          const texts = yield* AttachmentTextStore
          const attachments = yield* AttachmentStore
          const file = anAttachment(owner.accountId)
          yield* attachments.insert([file])
          expect(yield* texts.byId(owner.accountId, file.id)).toEqual(Option.none())
          yield* texts.keep(file.id, hello, NOON)
          yield* texts.keep(file.id, { kind: "text", text: "again", truncated: true }, NOON)
          expect(yield* texts.byId(owner.accountId, file.id)).toEqual(Option.some(hello))
          expect(yield* texts.byId(other.accountId, file.id)).toEqual(Option.none())
          yield* attachments.remove(file.id)
          expect(yield* texts.byId(owner.accountId, file.id)).toEqual(Option.none())
          yield* texts.keep(file.id, hello, NOON)
          expect(yield* textRows).toEqual([])
        }),
      )

      it.effect("returns the texts of a message, and removes them with it", () =>
        Effect.gen(function* () {
          const owner = yield* storedMailbox
          const texts = yield* AttachmentTextStore
          const messages = yield* MessageStore
          const message = aMessage(owner)
          yield* messages.insert([message])
          const of = { mailboxId: owner.id, messageId: message.content.id }
          const files = [
            anAttachment(owner.accountId, of),
            anAttachment(owner.accountId, of),
            anAttachment(owner.accountId, of),
          ]
          yield* Effect.flatMap(AttachmentStore, (store) => store.insert(files))
          for (const { id } of files.slice(0, 2)) yield* texts.keep(id, hello, NOON)
          const found = yield* texts.ofMessage(owner.accountId, message.content.id)
          expect(found).toEqual(files.slice(0, 2).map(({ id }) => ({ attachmentId: id, ...hello })))
          yield* messages.remove(message.content.id)
          expect(yield* textRows).toEqual([])
        }),
      )
    })
  })
