/** What filters read of a message, from its row. */
import { Direction, Instant, MailboxId, MessageContent, MessageId, ThreadId } from "@mailroom/domain"
import type { MatchedMessage } from "@mailroom/engine"
import { Schema } from "effect"
import { JsonText } from "../database/columns.js"
import { currentThread } from "../threads/moves.js"

/** The SELECT list of `MatchedRow`, for `messages AS alias`. */
export const matchedColumns = (alias: string): string =>
  `${alias}.id, ${alias}.mailbox_id AS "mailboxId", ${alias}.direction, ${currentThread(alias)} AS "threadId",
  ${alias}.labels, ${alias}.read_at AS "readAt", ${alias}.created_at AS "createdAt", ${alias}.listing`

const { fromAddress, toAddresses, ccAddresses, subject, hasAttachments } = MessageContent.fields
const some = Schema.Array(Schema.Unknown)

export const MatchedRow = Schema.Struct({
  id: MessageId,
  mailboxId: MailboxId,
  direction: Direction,
  threadId: ThreadId,
  labels: JsonText(Schema.Array(Schema.String)),
  readAt: Schema.NullOr(Instant),
  createdAt: Instant,
  listing: JsonText(
    Schema.Struct({
      fromAddress,
      toAddresses,
      ccAddresses,
      subject,
      hasAttachments,
      deliveredTo: Schema.optional(Schema.NullOr(Schema.String)),
      codes: some,
      links: some,
    }),
  ),
})

export const matchedMessage = ({
  listing: { codes, links, ...content },
  ...columns
}: typeof MatchedRow.Type): MatchedMessage => ({
  ...columns,
  ...content,
  hasCode: codes.length > 0,
  hasLink: links.length > 0,
})
