/** Threads in SQL. `thread_links` maps Message-IDs to threads, `thread_aliases` absorbed threads to the one they joined. */
import * as SqlClient from "@effect/sql/SqlClient"
import { MailboxId, ThreadId, ThreadRecord } from "@mailroom/domain"
import { type SubjectProbe, type ThreadLink, ThreadStore } from "@mailroom/engine"
import { Array, Effect, Layer, Option, Schema } from "effect"
import { hasAnyOf, inLists, insertInto, padded, replacing, unionAll } from "../database/batches.js"
import { indexable, JsonText } from "../database/columns.js"
import { all, first, rowsOf, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { absorbOf } from "./absorb.js"
import { removeEmptyOf } from "./emptyThreads.js"
import { recentOf } from "./recent.js"
import { currentIdsOf, currentThread, movesOf, resolved } from "./moves.js"

/** Threads of a subject that a probe reads, as the port says: SQLite takes half a millisecond, and a flood has one subject. */
const BY_SUBJECT_MAX = 1_000
/** Probes of one statement. */
const PROBES_MAX = 16

export const threads = table(
  "threads",
  Schema.Struct({ ...ThreadRecord.fields, participants: JsonText(Schema.Array(Schema.String)) }),
)

/** Message-IDs are compared byte by byte (RFC 5322 §3.6.4). */
export const links = table(
  "thread_links",
  Schema.Struct({ mailboxId: MailboxId, rfcId: Schema.String, threadId: ThreadId }),
)

const ids = rowsOf(Schema.Struct({ id: ThreadId }))

/** End of an INSERT of links: an existing link stays. */
export const ADD_LINK = "ON CONFLICT (mailbox_id, rfc_id) DO NOTHING"

export const storedLink = (link: ThreadLink): ThreadLink => ({ ...link, rfcId: indexable(link.rfcId) })

const make = (sql: SqlClient.SqlClient): ThreadStore["Type"] => {
  const { join } = transactionOf(sql)
  const selected = sql.literal(threads.selection)
  const currentId = sql.literal(currentThread("thread_links"))
  const moves = movesOf(sql)
  const removeEmpty = removeEmptyOf(sql)
  const ofSubject = ({ mailboxId, baseSubject, participants, since, until }: SubjectProbe) => {
    const ofIt = sql`mailbox_id = ${mailboxId} AND base_subject = ${baseSubject} AND last_message_at >=`
    return sql`SELECT * FROM (
      SELECT ${selected} FROM threads
      WHERE ${ofIt} COALESCE((
        SELECT last_message_at FROM threads WHERE ${ofIt} ${since}
        ORDER BY last_message_at DESC LIMIT 1 OFFSET ${BY_SUBJECT_MAX}), ${since})
      AND created_at <= ${until} AND ${hasAnyOf(sql, "threads.participants", participants)}
      ORDER BY last_message_at DESC, id DESC LIMIT 1) AS newest`
  }
  const insertLinks = insertInto(sql, links, ADD_LINK)
  return {
    recent: recentOf(sql, threads),
    byId: (mailboxId, id) =>
      first(
        threads,
        sql`SELECT ${selected} FROM threads
          WHERE id = ${resolved(sql, id)}
          AND mailbox_id = ${mailboxId}`,
      ),
    ofAccount: (accountId, id) =>
      first(
        threads,
        sql`SELECT ${selected} FROM threads
          WHERE id = ${resolved(sql, id)}
          AND account_id = ${accountId}`,
      ),
    byIds: (ids) =>
      inLists(ids, (list) => all(threads, sql`SELECT ${selected} FROM threads WHERE id IN ${sql.in(list)}`)),
    links: (wanted) => {
      const textOf = new Map(wanted.map(({ rfcId }) => [indexable(rfcId), rfcId]))
      return Effect.map(
        inLists(wanted, (list) =>
          all(
            links,
            sql`SELECT mailbox_id AS "mailboxId", rfc_id AS "rfcId", ${currentId} AS "threadId" FROM thread_links
              WHERE (mailbox_id, rfc_id) IN (VALUES ${sql.csv(
                list.map(({ mailboxId, rfcId }) => sql`(${mailboxId}, ${indexable(rfcId)})`),
              )})`,
          ),
        ),
        (found) => found.map((link) => ({ ...link, rfcId: textOf.get(link.rfcId) ?? link.rfcId })),
      )
    },
    bySubjects: (probes) =>
      Effect.map(
        Effect.forEach(Array.chunksOf(probes, PROBES_MAX), (some) =>
          all(threads, sql`${unionAll(padded(some).map(ofSubject))}`),
        ),
        (found) => found.flat(),
      ),
    save: insertInto(sql, threads, replacing(threads)),
    showFirst: ({ id, subject, baseSubject, participants, lastMessageAt }) =>
      Effect.map(
        first(
          ids,
          sql`UPDATE threads SET subject = ${subject}, base_subject = ${baseSubject},
              participants = ${JSON.stringify(participants)}, message_count = 1, last_message_at = ${lastMessageAt}
            WHERE id = ${id} AND message_count = 0 RETURNING id`,
        ),
        Option.isSome,
      ),
    link: (added) => insertLinks(added.map(storedLink)),
    absorb: absorbOf(sql, threads),
    move: (from, limit) => join(moves.step(from, limit)),
    currentIds: currentIdsOf(sql),
    removeEmpty: (id, limit) => join(removeEmpty(id, limit)),
  }
}

export const ThreadStoreSql: Layer.Layer<ThreadStore, never, SqlClient.SqlClient> = Layer.effect(
  ThreadStore,
  Effect.map(SqlClient.SqlClient, make),
)
