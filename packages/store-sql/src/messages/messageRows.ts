/**
 * How a message is stored: in `messages` the content as lists show it, as JSON text, and a column for everything that can
 * change; in `message_details` the headers, and the whole bodies when the list cuts them.
 */
import {
  AccountId,
  HeaderMap,
  InboundGate,
  Instant,
  MessageContent,
  MessageStatus,
  RawMailId,
  ThreadId,
  wholeText,
} from "@mailroom/domain"
import type { MessageRecord } from "@mailroom/engine"
import { Clock, Effect, type ParseResult, Schema } from "effect"
import { claimColumns, claimFields, claimOf } from "../claims/claimColumns.js"
import { Flag, indexable, JsonText } from "../database/columns.js"
import { currentThread } from "../threads/moves.js"
import { gateOf } from "./gates.js"
import { listingOf } from "./listing.js"
import { quarantineColumns, quarantineFields, quarantineOf } from "./quarantine.js"

/** Whether lists show a message: not while it is being sent, gated or quarantined. */
export const isVisible = (message: Pick<MessageRecord, "status" | "gate" | "quarantine">): boolean =>
  message.status !== "SENDING" && message.gate === null && message.quarantine === null

export const MESSAGE_COLUMNS = [
  "id",
  "account_id",
  "mailbox_id",
  "thread_id",
  "direction",
  "status",
  "gate",
  "visible",
  "labels",
  "read_at",
  "sent_at",
  "created_at",
  "rfc_message_id",
  "dedup_key",
  "raw_id",
  "automatic_turn",
  "indexed",
  "quarantined_at",
  "quarantine_reasons",
  "listing",
] as const

export const DETAIL_COLUMNS = ["message_id", "headers", "body_text", "body_html", "extracted_text"] as const

/** The values of `MESSAGE_COLUMNS` and of `DETAIL_COLUMNS`. */
export const valuesOf = (
  message: MessageRecord,
): { readonly message: ReadonlyArray<unknown>; readonly details: ReadonlyArray<unknown> } => {
  const { content } = message
  const { listing, truncated } = listingOf(content)
  const { bodyText, bodyHtml, extractedText } = content
  return {
    message: [
      content.id,
      message.accountId,
      content.mailboxId,
      message.threadId,
      content.direction,
      message.status,
      message.gate,
      isVisible(message) ? 1 : 0,
      JSON.stringify(message.labels),
      message.readAt,
      message.sentAt,
      message.createdAt,
      indexable(content.messageId),
      message.dedupKey,
      message.rawId,
      message.automaticTurn ? 1 : 0,
      message.gate === null ? 1 : 0,
      message.quarantine?.at ?? null,
      message.quarantine === null ? null : JSON.stringify(message.quarantine.reasons),
      listing,
    ],
    details: [
      content.id,
      JSON.stringify(message.headers),
      ...(truncated
        ? // Null when it is the whole body, as it is most often.
          [bodyText, bodyHtml, extractedText === wholeText(bodyText) ? null : extractedText]
        : [null, null, null]),
    ],
  }
}

/** The SELECT list that `messageRecords` decodes, of `messages AS m` joined with `message_details AS d`. */
export const RECORD_SELECTION = `m.account_id AS "accountId", ${currentThread("m")} AS "threadId", m.status,
  ${gateOf("m")} AS gate, m.labels,
  m.read_at AS "readAt", m.sent_at AS "sentAt", m.created_at AS "createdAt", m.dedup_key AS "dedupKey",
  m.raw_id AS "rawId",
  m.automatic_turn AS "automaticTurn", ${claimColumns("m")}, ${quarantineColumns("m")}, m.listing, d.headers, d.body_text AS "bodyText", d.body_html AS "bodyHtml", d.extracted_text AS "extractedText"`

const StoredMessage = Schema.Struct({
  accountId: AccountId,
  threadId: ThreadId,
  status: MessageStatus,
  gate: Schema.NullOr(InboundGate),
  labels: JsonText(Schema.Array(Schema.String)),
  readAt: Schema.NullOr(Instant),
  sentAt: Schema.NullOr(Instant),
  createdAt: Instant,
  dedupKey: Schema.NullOr(Schema.String),
  rawId: Schema.NullOr(RawMailId),
  automaticTurn: Flag,
  ...claimFields,
  ...quarantineFields,
  listing: JsonText(
    Schema.Struct({
      ...MessageContent.fields,
      deliveredTo: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
      extractedText: Schema.optional(Schema.NullOr(Schema.String)),
      calendar: Schema.optionalWith(MessageContent.fields.calendar.from, { default: () => null }),
      trust: Schema.optionalWith(MessageContent.fields.trust.from, { default: () => null }),
      spam: Schema.optionalWith(MessageContent.fields.spam.from, { default: () => null }),
      truncated: Schema.optional(Schema.Boolean),
    }),
  ),
  headers: JsonText(HeaderMap),
  bodyText: Schema.NullOr(Schema.String),
  bodyHtml: Schema.NullOr(Schema.String),
  extractedText: Schema.NullOr(Schema.String),
})

/** The whole body when the listing has an extracted text, else null. */
const wholeWhere = (written: string | null | undefined, bodyText: string | null): string | null =>
  written === null ? null : wholeText(bodyText)

const recordOf = (
  {
    listing: { truncated, extractedText: written, ...listed },
    bodyText,
    bodyHtml,
    extractedText,
    claimState,
    claimExpiresAt,
    claimedBy,
    quarantinedAt,
    quarantineReasons,
    ...columns
  }: typeof StoredMessage.Type,
  now: Instant,
): MessageRecord => ({
  ...columns,
  claim: claimOf({ claimState, claimExpiresAt, claimedBy }, now),
  quarantine: quarantineOf({ quarantinedAt, quarantineReasons }),
  content:
    truncated === true
      ? { ...listed, bodyText, bodyHtml, extractedText: extractedText ?? wholeWhere(written, bodyText) }
      : { ...listed, extractedText: written === undefined ? wholeText(listed.bodyText) : written },
})

const decodeStored = Schema.decodeUnknown(Schema.Array(StoredMessage))

/** Decodes rows of `RECORD_SELECTION` to records. */
export const messageRecords = {
  decode: (
    rows: ReadonlyArray<unknown>,
  ): Effect.Effect<ReadonlyArray<MessageRecord>, ParseResult.ParseError> =>
    Effect.zipWith(decodeStored(rows), Clock.currentTimeMillis, (stored, now) =>
      stored.map((message) => recordOf(message, now)),
    ),
}
