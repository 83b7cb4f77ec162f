/** Drafts in SQL. An account has at most 1,000 of them, so that lists filter the rows of one account or mailbox. */
import * as SqlClient from "@effect/sql/SqlClient"
import {
  AccountId,
  cutText,
  DraftContent,
  DraftError,
  DraftId,
  DraftRecord,
  LIST_BODY_MAX_LENGTH,
  MailboxId,
  ReviewRecord,
} from "@mailroom/domain"
import { DraftStore } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { inRowsOf, insertInto, isAmong, padded, updateById } from "../database/batches.js"
import { Flag, JsonText } from "../database/columns.js"
import { abandonClaim, LeaseHolder } from "../database/leases.js"
import { all, first, rowsOf, run, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"

/** Drafts that one statement defers, besides the one that was refused. */
const DEFERRED_AT_ONCE = 50

const fields = {
  ...DraftRecord.fields,
  byPerson: Flag,
  content: JsonText(DraftContent),
  review: Schema.NullOr(JsonText(ReviewRecord)),
  error: Schema.NullOr(JsonText(DraftError)),
}

const drafts = table("drafts", Schema.Struct(fields))
const stored = table(
  "drafts",
  Schema.Struct({
    ...fields,
    listed: Schema.NullOr(JsonText(DraftContent)),
    lockedUntil: Schema.Int,
  }),
)
const listedDrafts = rowsOf(Schema.Struct({ ...fields, truncated: Flag }))
const due = rowsOf(Schema.Struct({ id: DraftId, accountId: AccountId, mailboxId: MailboxId }))
const counts = rowsOf(Schema.Struct({ count: Schema.Int }))

/** The content with cut bodies; null when they are short. */
const cutContent = (content: DraftContent): DraftContent | null => {
  const bodyText = cutText(content.bodyText, LIST_BODY_MAX_LENGTH)
  const bodyHtml = cutText(content.bodyHtml, LIST_BODY_MAX_LENGTH)
  return bodyText === content.bodyText && bodyHtml === content.bodyHtml
    ? null
    : { ...content, bodyText, bodyHtml }
}

/** The columns of a list: `listed` stands for a content with long bodies. */
const LISTED = drafts.selection.replace(`content AS "content"`, `coalesce(listed, content) AS "content"`)

const make = (sql: SqlClient.SqlClient, holder: string): DraftStore["Type"] => {
  const { joinUnsynced } = transactionOf(sql)
  const insert = insertInto(sql, stored)
  const update = updateById(sql, stored)
  const selected = sql.literal(drafts.selection)
  const skipLocked = sql.literal(dialectOf(sql).skipLocked)
  const none = sql.literal("")
  // A job removes the drafts of a deleted mailbox.
  const hasMailbox = sql.literal("EXISTS (SELECT 1 FROM mailboxes WHERE mailboxes.id = drafts.mailbox_id)")
  const record = (draft: DraftRecord) => ({ ...draft, listed: cutContent(draft.content), lockedUntil: 0 })

  return {
    insert: (draft) => insert([record(draft)]),
    save: (draft) => update(record(draft)),
    remove: (id) => run(sql`DELETE FROM drafts WHERE id = ${id}`),
    byId: (accountId, id) =>
      first(
        drafts,
        sql`SELECT ${selected} FROM drafts WHERE id = ${id} AND account_id = ${accountId} AND ${hasMailbox}`,
      ),
    byClientId: (mailboxId, clientId) =>
      first(
        drafts,
        sql`SELECT ${selected} FROM drafts WHERE mailbox_id = ${mailboxId} AND client_id = ${clientId}`,
      ),
    count: (accountId) =>
      Effect.map(
        first(counts, sql`SELECT count(*) AS count FROM drafts WHERE account_id = ${accountId}`),
        Option.match({ onNone: () => 0, onSome: ({ count }) => count }),
      ),
    list: ({ accountId, mailboxId, scope, status }, after, limit) =>
      Effect.map(
        all(
          listedDrafts,
          sql`SELECT ${sql.literal(LISTED)}, CASE WHEN listed IS NULL THEN 0 ELSE 1 END AS truncated FROM drafts
            WHERE account_id = ${accountId}
              ${mailboxId === null ? none : sql`AND mailbox_id = ${mailboxId}`}
              ${scope === null ? none : sql`AND mailbox_id ${isAmong(sql, scope)}`}
              ${status === null ? none : sql`AND status = ${status}`}
              ${after === null ? none : sql`AND (created_at, id) < (${after.createdAt}, ${after.id})`}
              AND ${hasMailbox}
            ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`,
        ),
        (rows) => ({
          drafts: rows.slice(0, limit).map(({ truncated, ...draft }) => ({ draft, truncated })),
          hasMore: rows.length > limit,
        }),
      ),
    claim: (limit, now, leaseUntil, except) =>
      joinUnsynced(
        all(
          due,
          sql`UPDATE drafts SET locked_until = ${leaseUntil}, locked_by = ${holder} WHERE id ${inRowsOf(
            sql,
            sql`SELECT id FROM drafts WHERE due_at <= ${now} AND locked_until <= ${now}
              ${except.length === 0 ? none : sql`AND account_id NOT IN ${sql.in(padded(except))}`}
              ORDER BY due_at, id LIMIT ${limit} ${skipLocked}`,
          )}
            RETURNING id, account_id AS "accountId", mailbox_id AS "mailboxId"`,
        ),
      ),
    abandonClaim: abandonClaim(sql, "drafts", holder, "not counted"),
    lease: (id, leaseUntil) =>
      run(sql`UPDATE drafts SET locked_until = ${leaseUntil}, locked_by = ${holder} WHERE id = ${id}`),
    deferDue: ({ id, mailboxId }, now, until) => {
      const isDue = sql`mailbox_id = ${mailboxId} AND status = 'SCHEDULED' AND due_at <= ${now}`
      return run(
        sql`UPDATE drafts SET due_at = ${until}, locked_until = 0
          WHERE ${isDue} AND (id = ${id} OR id IN (SELECT id FROM drafts WHERE ${isDue} LIMIT ${DEFERRED_AT_ONCE}))`,
      )
    },
    resume: (accountId) =>
      run(
        sql`UPDATE drafts SET due_at = send_at
          WHERE account_id = ${accountId} AND status = 'SCHEDULED' AND due_at IS NULL`,
      ),
  }
}

export const DraftStoreSql: Layer.Layer<DraftStore, never, SqlClient.SqlClient | LeaseHolder> = Layer.effect(
  DraftStore,
  Effect.zipWith(SqlClient.SqlClient, LeaseHolder, make),
)
