/**
 * The terms and folded subjects of messages, which filtered lists read (docs/decisions/0060). A term is stored as a
 * hash: a row takes half the bytes of the text. The terms of a message are computed
 * from its stored listing when they are removed, so no index by message is needed.
 */
import type { SqlClient } from "@effect/sql"
import {
  AccountId,
  foldSubject,
  Instant,
  labelTerms,
  MailboxId,
  MessageContent,
  MessageId,
  termsOf,
} from "@mailroom/domain"
import type { MessageRecord } from "@mailroom/engine"
import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { forLists, insertValues } from "../database/batches.js"
import { JsonText } from "../database/columns.js"
import { rowsOf, run } from "../database/Table.js"
import { insertion, type Write } from "../database/together.js"

const { fromAddress, toAddresses, ccAddresses, subject, hasAttachments } = MessageContent.fields

/** The members of a listing that terms and subject are made of. */
const Source = Schema.Struct({
  deliveredTo: Schema.optional(Schema.NullOr(Schema.String)),
  fromAddress,
  toAddresses,
  ccAddresses,
  subject,
  hasAttachments,
})

/** The members of a stored listing that filters and terms read. */
export const decodeSource = Schema.decodeSync(Schema.parseJson(Source))

/** What identifies a message and where it is. */
const place = { id: MessageId, accountId: AccountId, mailboxId: MailboxId, createdAt: Instant }

/** A stored message, with all that its terms are made of. */
export const Indexed = Schema.Struct({
  ...place,
  labels: JsonText(Schema.Array(Schema.String)),
  source: JsonText(Source),
})
export type Indexed = typeof Indexed.Type

/** Rows of `INDEXED`. */
export const indexedMessages = rowsOf(Indexed)

/** The SELECT or RETURNING list that `indexedMessages` decodes, of `messages`. */
export const INDEXED = `id, account_id AS "accountId", mailbox_id AS "mailboxId", created_at AS "createdAt", labels,
  listing AS source`

export const indexedOf = ({ accountId, content, createdAt, labels }: MessageRecord): Indexed => ({
  id: content.id,
  accountId,
  mailboxId: content.mailboxId,
  createdAt,
  labels,
  source: content,
})

type Place = Pick<Indexed, keyof typeof place>

/** The labels that a message loses and gets. */
export interface LabelChange extends Place {
  readonly removed: ReadonlyArray<string>
  readonly added: ReadonlyArray<string>
}

/** Base64 characters of a hash: 96 bits, so that nobody finds two terms with the same hash. */
const HASH_LENGTH = 16
/** Where the random part of a mailbox's id begins, counted from 1: its last 12 characters. */
const MAILBOX_PART = 25
/** Rows of one INSERT; each takes three parameters. */
const ROWS_AT_ONCE = 512

export const hashOf = (term: string): string =>
  createHash("sha256").update(term).digest("base64url").slice(0, HASH_LENGTH)

/** The stored form of a term of a mailbox. The rows of a mailbox are beside each other, which makes inserts cheap. */
export const termKey = (mailboxId: MailboxId, term: string, hash = hashOf): string =>
  mailboxId.slice(MAILBOX_PART - 1) + hash(term)

/** SQL for the stored form of a term of the mailbox of a row of `messages`; the hash is the parameter behind it. */
export const KEY_IN_MAILBOX = `substr(messages.mailbox_id, ${MAILBOX_PART}) ||`

const TERM_COLUMNS = ["term", "created_at", "message_id"] as const
const SUBJECT_COLUMNS = ["message_id", "subject"] as const
const UNLESS_STORED = "ON CONFLICT DO NOTHING"

type TermRow = readonly [key: string, createdAt: Instant, id: MessageId]

/** `hashOf` for a batch, whose messages share most terms: computes each hash once. */
const hashesOfBatch = (): typeof hashOf => {
  const hashes = new Map<string, string>()
  return (term) => {
    const hash = hashes.get(term) ?? hashOf(term)
    hashes.set(term, hash)
    return hash
  }
}

const rowsFor = ({ id, mailboxId, createdAt }: Place, terms: ReadonlyArray<string>, hash = hashOf) =>
  terms.map((term): TermRow => [termKey(mailboxId, term, hash), createdAt, id])

const termRows = (messages: ReadonlyArray<Indexed>): ReadonlyArray<TermRow> => {
  const hash = hashesOfBatch()
  return messages.flatMap((message) =>
    rowsFor(message, termsOf({ ...message.source, labels: message.labels }), hash),
  )
}

const subjectRow = ({ id, source }: Indexed): ReadonlyArray<unknown> => [id, foldSubject(source.subject)]

/** The writes that index a message that is inserted, for `together`. */
export const indexWrites = (sql: SqlClient.SqlClient, message: Indexed): ReadonlyArray<Write> => [
  insertion(sql, "message_terms", TERM_COLUMNS, termRows([message]), UNLESS_STORED),
  insertion(sql, "message_subjects", SUBJECT_COLUMNS, [subjectRow(message)], UNLESS_STORED),
]

export interface TermIndex {
  /** Stores terms and subjects. Those that are stored already stay. */
  readonly add: (messages: ReadonlyArray<Indexed>) => Effect.Effect<void>
  /** Removes the terms and subjects of removed messages. */
  readonly remove: (messages: ReadonlyArray<Indexed>) => Effect.Effect<void>
  /** Changes the terms of labels. */
  readonly relabel: (changes: ReadonlyArray<LabelChange>) => Effect.Effect<void>
}

/** Call these in the transaction that changes the messages. */
export const termIndexOf = (sql: SqlClient.SqlClient): TermIndex => {
  const insertTerms = insertValues(sql, "message_terms", TERM_COLUMNS, UNLESS_STORED, ROWS_AT_ONCE)
  const insertSubjects = insertValues(sql, "message_subjects", SUBJECT_COLUMNS, UNLESS_STORED)
  const removeTerms = (rows: ReadonlyArray<TermRow>) =>
    forLists(rows, (list) =>
      run(
        sql`DELETE FROM message_terms WHERE (term, created_at, message_id) IN (VALUES ${sql.csv(
          list.map(([key, createdAt, id]) => sql`(${key}, CAST(${createdAt} AS BIGINT), ${id})`),
        )})`,
      ),
    )
  return {
    add: (messages) =>
      Effect.zipRight(insertTerms(termRows(messages)), insertSubjects(messages.map(subjectRow))),
    remove: (messages) =>
      Effect.zipRight(
        removeTerms(termRows(messages)),
        forLists(
          messages.map(({ id }) => id),
          (list) => run(sql`DELETE FROM message_subjects WHERE message_id IN ${sql.in(list)}`),
        ),
      ),
    relabel: (changes) =>
      Effect.zipRight(
        removeTerms(changes.flatMap((change) => rowsFor(change, labelTerms(change.removed)))),
        insertTerms(changes.flatMap((change) => rowsFor(change, labelTerms(change.added)))),
      ),
  }
}
