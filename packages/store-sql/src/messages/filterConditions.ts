/** The conditions of a filtered list that its ranges do not hold (docs/decisions/0060). */
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { type AccountId, foldSubject, type Instant, planOf } from "@mailroom/domain"
import type { FilteredQuery } from "@mailroom/engine"
import { claimCondition } from "../claims/claimLists.js"
import { includesQuarantined } from "./filterRanges.js"
import { isQuarantined } from "./quarantine.js"
import { hashOf, KEY_IN_MAILBOX } from "./terms.js"

/** Escapes the wildcards of LIKE, for ESCAPE '\'. */
const likePart = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`

/** Conditions on `messages`, for statements that read messages by id. */
export const filterConditionsOf = (sql: SqlClient.SqlClient) => {
  const visible = sql.literal("visible = 1")
  const withQuarantined = sql.literal(`(visible = 1 OR ${isQuarantined("messages")})`)

  /** An expression, for statements that read messages by id: by the column, SQLite would read the whole account. */
  const ofAccount = (accountId: AccountId) => sql`coalesce(messages.account_id, '') = ${accountId}`

  /** Messages of the list's account that are in its mailboxes. Messages of a removed mailbox stay until a job removes them. */
  const placedIn = ({ accountId, mailboxIds }: FilteredQuery): ReadonlyArray<Statement.Fragment> => [
    ofAccount(accountId),
    mailboxIds === null
      ? sql.literal("EXISTS (SELECT 1 FROM mailboxes WHERE mailboxes.id = messages.mailbox_id)")
      : sql`coalesce(messages.mailbox_id, '') IN ${sql.in(mailboxIds)}`,
  ]

  /** The conditions of a message, on `messages` and the candidate. */
  const conditionsOf = (
    query: FilteredQuery,
    terms: ReadonlyArray<string>,
    now: Instant,
  ): ReadonlyArray<Statement.Fragment> => {
    const { filter } = query
    const { absent } = planOf(filter)
    const hasTerm = (term: string) =>
      sql`EXISTS (SELECT 1 FROM message_terms AS other
        WHERE other.term = ${sql.literal(KEY_IN_MAILBOX)} ${hashOf(term)}
        AND other.created_at = messages.created_at AND other.message_id = messages.id)`
    return [
      ...(query.onlyQuarantined === true ? [sql.literal("messages.quarantined_at IS NOT NULL")] : []),
      includesQuarantined(query) ? withQuarantined : visible,
      ...placedIn(query),
      ...(filter.direction === null ? [] : [sql`messages.direction = ${filter.direction}`]),
      ...(filter.unread === null
        ? []
        : [sql.literal(`messages.read_at IS ${filter.unread ? "NULL" : "NOT NULL"}`)]),
      ...(filter.claim === null ? [] : [claimCondition(sql, filter.claim, now)]),
      ...terms.map(hasTerm),
      ...absent.map((term) => sql`NOT ${hasTerm(term)}`),
      ...(filter.subject === null
        ? []
        : [
            sql`EXISTS (SELECT 1 FROM message_subjects AS title WHERE title.message_id = messages.id
              AND ${foldedTitle(filter.subject)} LIKE ${likePart(foldSubject(filter.subject))} ESCAPE '\\')`,
          ]),
    ]
  }

  /** The stored fold of a subject. Earlier versions stored the final form of sigma at the end of words. */
  const foldedTitle = (wanted: string) =>
    sql.literal(foldSubject(wanted).includes("σ") ? "replace(title.subject, 'ς', 'σ')" : "title.subject")

  return { placedIn, conditionsOf }
}
