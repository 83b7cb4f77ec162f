/** Contract of `AttachmentTextStore`: a text is kept once, and removed with its attachment. */
import { describe, expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import {
  type AccountId,
  type AttachmentRecord,
  DAY,
  type DocumentText,
  FILE_READ_ON_REQUEST_BYTES,
  MessageId,
  MINUTE,
} from "@mailroom/domain"
import { AttachmentStore, AttachmentTextStore, MessageStore, type WaitingFile } from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { aMessage, anAttachment, newId, NOON, type Owner, storedMailbox } from "./support/records.js"

const hello: DocumentText = { kind: "pdf", text: "Grüße 😀\n".repeat(1000), truncated: false }

const textRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`/* test */ SELECT attachment_id FROM attachment_texts`
})

const noFileWaits = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`/* test */ UPDATE attachments SET text_due_at = NULL`,
)

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

      it.effect("keeps no text for a file whose message is gone, and returns", () =>
        Effect.gen(function* () {
          const owner = yield* storedMailbox
          const texts = yield* AttachmentTextStore
          const lost = anAttachment(owner.accountId, {
            mailboxId: owner.id,
            messageId: MessageId.make(newId()),
          })
          yield* Effect.flatMap(AttachmentStore, (store) => store.insert([lost]))
          yield* texts.keep(lost.id, hello, NOON)
          expect(yield* texts.byId(owner.accountId, lost.id)).toEqual(Option.none())
          yield* Effect.flatMap(AttachmentStore, (store) => store.remove(lost.id))
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

      /** A file of a new message. */
      const aFile = (owner: Owner, over: Partial<AttachmentRecord> = {}) =>
        Effect.gen(function* () {
          const message = aMessage(owner)
          yield* Effect.flatMap(MessageStore, (messages) => messages.insert([message]))
          const file = anAttachment(owner.accountId, {
            mailboxId: owner.id,
            messageId: message.content.id,
            ...over,
          })
          yield* Effect.flatMap(AttachmentStore, (store) => store.insert([file]))
          return file
        })

      it.effect("small files of messages wait: accounts take turns, and the newest file comes first", () =>
        Effect.gen(function* () {
          const texts = yield* AttachmentTextStore
          yield* noFileWaits
          const [one, two] = [yield* storedMailbox, yield* storedMailbox].sort((a, b) =>
            a.accountId < b.accountId ? -1 : 1,
          )
          if (one === undefined || two === undefined) return
          yield* Effect.flatMap(AttachmentStore, (store) => store.insert([anAttachment(one.accountId)]))
          yield* aFile(one, { sizeBytes: FILE_READ_ON_REQUEST_BYTES })
          yield* aFile(one, { contentType: "image/png" })
          const old = yield* aFile(one, { createdAt: NOON })
          const young = yield* aFile(one, { createdAt: NOON + 1 })
          const other = yield* aFile(two, { sizeBytes: FILE_READ_ON_REQUEST_BYTES - 1 })
          const turns: Array<string | undefined> = []
          let after: AccountId | null = null
          for (let turn = 0; turn < 4; turn++) {
            const next: Option.Option<WaitingFile> = yield* texts.claim(after, NOON, NOON + MINUTE)
            turns.push(Option.map(next, ({ attachment }) => attachment.id).pipe(Option.getOrUndefined))
            if (Option.isSome(next)) after = next.value.attachment.accountId
          }
          expect(turns).toEqual([young.id, other.id, old.id, undefined])
        }),
      )

      it.effect("a file waits until it is kept or dismissed; a claim that ends counts as an attempt", () =>
        Effect.gen(function* () {
          const texts = yield* AttachmentTextStore
          yield* noFileWaits
          const file = yield* aFile(yield* storedMailbox)
          const claim = (now: number) =>
            Effect.map(
              texts.claim(null, now, now + MINUTE),
              Option.map(({ attempt }) => attempt),
            )
          expect(yield* claim(NOON)).toEqual(Option.some(1))
          expect(yield* claim(NOON)).toEqual(Option.none())
          expect(yield* claim(NOON + MINUTE)).toEqual(Option.some(2))
          yield* texts.release(file.id)
          expect(yield* claim(NOON)).toEqual(Option.some(2))
          yield* texts.dismiss(file.id)
          expect(yield* claim(NOON + DAY)).toEqual(Option.none())
          const read = yield* aFile(yield* storedMailbox)
          yield* texts.keep(read.id, hello, NOON)
          expect(yield* claim(NOON + DAY)).toEqual(Option.none())
        }),
      )
    })
  })
