/** The kept texts of attachments, as search reads them. */
import type { SqlClient } from "@effect/sql"
import { AttachmentId, MessageId, SEARCHED_FILES_MAX_LENGTH } from "@mailroom/domain"
import { Array, Effect, Option, Schema } from "effect"
import { inflatedText } from "../attachments/deflatedText.js"
import { inLists } from "../database/batches.js"
import { all, first, rowsOf } from "../database/Table.js"

const files = rowsOf(Schema.Struct({ messageId: MessageId, id: AttachmentId }))
const texts = rowsOf(Schema.Struct({ deflated: Schema.Uint8ArrayFromSelf }))

/**
 * The kept texts of each message's attachments, in the order of their ids, as far as search reads them. Reads one text at a
 * time, because a message may have 40 MB of them. A text that does not inflate counts as empty.
 */
export const fileTextsIn = (sql: SqlClient.SqlClient) => {
  const textOf = (id: AttachmentId) =>
    Effect.flatMap(
      first(texts, sql`SELECT deflated FROM attachment_texts WHERE attachment_id = ${id}`),
      Option.match({
        onNone: () => Effect.succeed(""),
        onSome: ({ deflated }) => Effect.catchAllDefect(inflatedText(deflated), () => Effect.succeed("")),
      }),
    )

  const searched = (ids: ReadonlyArray<AttachmentId>) =>
    Effect.gen(function* () {
      const found: Array<string> = []
      let length = 0
      for (const id of ids) {
        if (length >= SEARCHED_FILES_MAX_LENGTH) break
        const text = (yield* textOf(id)).slice(0, SEARCHED_FILES_MAX_LENGTH)
        length += text.length
        found.push(text)
      }
      return found
    })

  return (messages: ReadonlyArray<MessageId>): Effect.Effect<ReadonlyMap<MessageId, ReadonlyArray<string>>> =>
    Effect.gen(function* () {
      const kept = yield* inLists(messages, (list) =>
        all(
          files,
          sql`SELECT a.message_id AS "messageId", a.id FROM attachments AS a
            JOIN attachment_texts AS t ON t.attachment_id = a.id WHERE a.message_id IN ${sql.in(list)}`,
        ),
      )
      const ofMessage = Array.groupBy(kept, ({ messageId }) => messageId)
      const found = new Map<MessageId, ReadonlyArray<string>>()
      for (const group of Object.values(ofMessage))
        found.set(group[0].messageId, yield* searched(group.map(({ id }) => id).sort()))
      return found
    })
}
