/** The event log, webhooks and their deliveries, jobs, and the development outbox. */
import type { Dialect } from "../dialect.js"

export const workTables = ({ id, blob }: Dialect): ReadonlyArray<string> => [
  // Not WITHOUT ROWID on SQLite, because an envelope may be megabytes long, and would be stored in the key's tree.
  `CREATE TABLE events (
    account_id ${id} NOT NULL,
    seq BIGINT NOT NULL,
    id TEXT NOT NULL,
    mailbox_id ${id} NOT NULL,
    kind TEXT NOT NULL,
    envelope TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, seq)
  )`,

  // next_due_at: due time of the first waiting delivery; null when none waits.
  `CREATE TABLE webhooks (
    id ${id} NOT NULL PRIMARY KEY,
    account_id ${id} NOT NULL REFERENCES accounts (id),
    url TEXT NOT NULL,
    mailbox_id ${id},
    events TEXT NOT NULL,
    sealed_headers TEXT,
    header_names TEXT NOT NULL,
    sealed_secret TEXT NOT NULL,
    status TEXT NOT NULL,
    failure_count BIGINT NOT NULL,
    last_triggered_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    next_due_at BIGINT,
    locked_until BIGINT NOT NULL DEFAULT 0
  )`,
  `CREATE INDEX webhooks_account ON webhooks (account_id, status)`,
  `CREATE INDEX webhooks_due ON webhooks (status, next_due_at, id, locked_until) WHERE next_due_at IS NOT NULL`,

  `CREATE TABLE webhook_deliveries (
    id ${id} NOT NULL PRIMARY KEY,
    webhook_id ${id} NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    account_id ${id} NOT NULL,
    event_id TEXT NOT NULL,
    event_seq BIGINT NOT NULL,
    event TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    response_status BIGINT,
    last_error TEXT,
    due_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    delivered_at BIGINT
  )`,
  `CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, due_at, event_seq, id)
    WHERE status = 'PENDING'`,
  `CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, created_at, id)`,

  `CREATE TABLE jobs (
    id ${id} NOT NULL PRIMARY KEY,
    spec TEXT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    due_at BIGINT NOT NULL,
    locked_until BIGINT NOT NULL DEFAULT 0
  )`,
  `CREATE INDEX jobs_due ON jobs (due_at, id, locked_until)`,

  `CREATE TABLE captured_mails (
    id ${id} NOT NULL PRIMARY KEY,
    sender TEXT NOT NULL,
    recipients TEXT NOT NULL,
    captured_at BIGINT NOT NULL,
    raw ${blob} NOT NULL
  )`,
  `CREATE INDEX captured_mails_newest ON captured_mails (captured_at, id)`,
]
