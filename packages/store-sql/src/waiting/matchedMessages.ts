/** What filters read of messages: pages of their rows, bounded by bytes. */
import type { SqlClient } from "@effect/sql"
import { Direction, Instant, MailboxId, MessageContent, MessageId, ThreadId } from "@mailroom/domain"
import type { MatchedMessage } from "@mailroom/engine"
import { Effect, Schema, Struct } from "effect"
import { inLists } from "../database/batches.js"
import { JsonText } from "../database/columns.js"
import { orStorageFailure } from "../database/failures.js"
import { firstThatFit } from "../database/firstThatFit.js"
import { all, rowsOf } from "../database/Table.js"
import { currentThread } from "../threads/moves.js"

/** Bytes of listings that a page has at most; its first message may be larger. A listing may have a megabyte. */
const PAGE_MAX_BYTES = 8 * 1024 * 1024
/** Bytes of a listing that is read with its row: 128 of them make a page. Larger ones are read when the page has room. */
const READ_WITH_ROW_MAX_BYTES = PAGE_MAX_BYTES / 128

/** The SELECT list of `matchedRows`, of `messages`. */
export const MATCHED = `id, mailbox_id AS "mailboxId", direction, ${currentThread("messages")} AS "threadId", labels,
  read_at AS "readAt", created_at AS "createdAt", octet_length(listing) AS bytes,
  CASE WHEN octet_length(listing) <= ${READ_WITH_ROW_MAX_BYTES} THEN listing END AS listing`

const { fromAddress, toAddresses, ccAddresses, subject, hasAttachments } = MessageContent.fields
const some = Schema.Array(Schema.Unknown)

const Listing = JsonText(
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
)
const decodeListing = Schema.decode(Listing)

const MatchedRow = Schema.Struct({
  id: MessageId,
  mailboxId: MailboxId,
  direction: Direction,
  threadId: ThreadId,
  labels: JsonText(Schema.Array(Schema.String)),
  readAt: Schema.NullOr(Instant),
  createdAt: Instant,
  /** size of the listing */
  bytes: Schema.Int,
  /** null: too large to be read with its row */
  listing: Schema.NullOr(Schema.String),
})
type MatchedRow = typeof MatchedRow.Type

export const matchedRows = rowsOf(MatchedRow)
const largeListings = rowsOf(Schema.Struct({ id: MessageId, listing: Schema.String }))

/** How many of these rows fit into a page. */
export const fittingCount = (rows: ReadonlyArray<MatchedRow>): number =>
  firstThatFit(rows, rows.length, PAGE_MAX_BYTES).length

/** The messages of these rows, in their order. Those that were removed since may be absent. */
export const matchedIn =
  (sql: SqlClient.SqlClient) =>
  (rows: ReadonlyArray<MatchedRow>): Effect.Effect<ReadonlyArray<MatchedMessage>> =>
    Effect.gen(function* () {
      const large = yield* inLists(
        rows.flatMap(({ id, listing }) => (listing === null ? [id] : [])),
        (list) => all(largeListings, sql`SELECT id, listing FROM messages WHERE id IN ${sql.in(list)}`),
      )
      const listings = new Map(large.map(({ id, listing }) => [id, listing]))
      const found: Array<MatchedMessage> = []
      for (const row of rows) {
        const text = row.listing ?? listings.get(row.id)
        if (text === undefined) continue
        const { codes, links, ...content } = yield* orStorageFailure(decodeListing(text))
        const columns = Struct.omit(row, "bytes", "listing")
        found.push({ ...columns, ...content, hasCode: codes.length > 0, hasLink: links.length > 0 })
      }
      return found
    })
