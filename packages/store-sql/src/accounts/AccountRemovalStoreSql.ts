/** Removing an account in SQL: the tables that hold its rows, and the order in which they are emptied. */
import * as SqlClient from "@effect/sql/SqlClient"
import { AccountId, MailboxId, WebhookId } from "@mailroom/domain"
import { AccountRemovalStore } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { unusedAmong } from "../blobs/unreferenced.js"
import { removeSome } from "../database/removeSome.js"
import { all, first, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { removalOf } from "../messages/messageRemoval.js"

/** Tables with an `account_id`, and the column that tells the rows of one account apart. */
const OWNED = [
  ["events", "seq"],
  // Those of their events go with them.
  ["consumers", "name"],
  ["suppressions", "id"],
  ["mailbox_suppressions", "id"],
  ["idempotency_keys", "id"],
  ["domains", "id"],
  ["address_list_entries", "id"],
  ["checkouts", "token_hash"],
  ["mail_tokens", "hash"],
  ["sessions", "hash"],
  ["sign_in_networks", "network"],
  ["api_keys", "id"],
  ["audit_entries", "id"],
  ["jobs", "id"],
  ["stream_places", "place"],
  ["wait_slots", "place"],
  ["search_segments", "id"],
  // Empty by then: removed messages leave the queue.
  ["search_queue", "message_id"],
] as const

const accounts = rowsOf(Schema.Struct({ id: AccountId }))
const webhooks = rowsOf(Schema.Struct({ id: WebhookId }))
const mailboxes = rowsOf(Schema.Struct({ id: MailboxId }))
const uploads = rowsOf(Schema.Struct({ blobKey: Schema.String }))

interface Step {
  /** whether the step found rows to remove */
  readonly found: boolean
  readonly blobKeys: ReadonlyArray<string>
}

const nothing: Step = { found: false, blobKeys: [] }

const make = (sql: SqlClient.SqlClient): AccountRemovalStore["Type"] => {
  const { join } = transactionOf(sql)
  const messages = removalOf(sql)
  const unusedBlobs = unusedAmong(sql)

  /** Removes the deliveries of one webhook, and then the webhook. */
  const webhookStep = Effect.fnUntraced(function* (id: AccountId, limit: number) {
    const webhook = yield* first(webhooks, sql`SELECT id FROM webhooks WHERE account_id = ${id} LIMIT 1`)
    if (Option.isNone(webhook)) return nothing
    const ofWebhook = sql`webhook_id = ${webhook.value.id}`
    const removed = yield* removeSome(sql, "webhook_deliveries", "id", ofWebhook, limit)
    if (removed < limit) yield* run(sql`DELETE FROM webhooks WHERE id = ${webhook.value.id}`)
    return { found: true, blobKeys: [] } satisfies Step
  })

  /** Removes the mail of one mailbox, and then the mailbox. */
  const mailboxStep = Effect.fnUntraced(function* (id: AccountId, limit: number) {
    const mailbox = yield* first(mailboxes, sql`SELECT id FROM mailboxes WHERE account_id = ${id} LIMIT 1`)
    if (Option.isNone(mailbox)) return nothing
    const { removed, blobKeys } = yield* messages.purge(mailbox.value.id, limit)
    if (removed < limit) yield* run(sql`DELETE FROM mailboxes WHERE id = ${mailbox.value.id}`)
    return { found: true, blobKeys } satisfies Step
  })

  const uploadStep = Effect.fnUntraced(function* (id: AccountId, limit: number) {
    const removed = yield* all(
      uploads,
      sql`DELETE FROM attachments WHERE id IN (
          SELECT id FROM attachments WHERE account_id = ${id} AND message_id IS NULL LIMIT ${limit})
        RETURNING blob_key AS "blobKey"`,
    )
    const blobKeys = yield* unusedBlobs(removed.map(({ blobKey }) => blobKey))
    return { found: removed.length > 0, blobKeys } satisfies Step
  })

  const ownedStep = ([table, key]: (typeof OWNED)[number]) =>
    Effect.fnUntraced(function* (id: AccountId, limit: number) {
      const removed = yield* removeSome(sql, table, key, sql`account_id = ${id}`, limit)
      return { found: removed > 0, blobKeys: [] } satisfies Step
    })

  const countStep = Effect.fnUntraced(function* (id: AccountId, limit: number) {
    const removed = yield* removeSome(sql, "mail_counts", "at", sql`owner_id = ${id}`, limit)
    return { found: removed > 0, blobKeys: [] } satisfies Step
  })

  // Webhooks come first, because their deliveries read the event log. Uploads come after the mail, whose removal may
  // turn attachments into uploads again.
  const steps = [webhookStep, mailboxStep, uploadStep, countStep, ...OWNED.map(ownedStep)]

  const purge = Effect.fnUntraced(function* (id: AccountId, limit: number) {
    const retired = yield* first(
      accounts,
      sql`SELECT id FROM accounts WHERE id = ${id} AND deleted_at IS NOT NULL`,
    )
    if (Option.isNone(retired)) return { done: true, blobKeys: [] }
    for (const step of steps) {
      const { found, blobKeys } = yield* step(id, limit)
      if (found) return { done: false, blobKeys }
    }
    yield* run(sql`DELETE FROM accounts WHERE id = ${id}`)
    return { done: true, blobKeys: [] }
  })

  return {
    retire: (id, at) =>
      join(
        Effect.all([
          run(sql`UPDATE accounts SET deleted_at = ${at} WHERE id = ${id} AND deleted_at IS NULL`),
          run(sql`UPDATE webhooks SET status = 'PAUSED', next_due_at = NULL WHERE account_id = ${id}`),
          run(sql`UPDATE domains SET status = 'FAILED', next_check_at = NULL WHERE account_id = ${id}`),
        ]),
      ),
    purge: (id, limit) => join(purge(id, limit)),
  }
}

export const AccountRemovalStoreSql: Layer.Layer<AccountRemovalStore, never, SqlClient.SqlClient> =
  Layer.effect(AccountRemovalStore, Effect.map(SqlClient.SqlClient, make))
