/** Domains, mailboxes, raw mail, the inbound queue, messages, threads and attachments. */
import type { Dialect } from "../dialect.js"

export const mailTables = ({ id, blob, clustered }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE domains (
    id ${id} NOT NULL PRIMARY KEY,
    account_id ${id} NOT NULL REFERENCES accounts (id),
    domain TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  `CREATE INDEX domains_account ON domains (account_id)`,

  `CREATE TABLE mailboxes (
    id ${id} NOT NULL PRIMARY KEY,
    account_id ${id} NOT NULL REFERENCES accounts (id),
    domain_id ${id},
    local_part TEXT NOT NULL,
    full_address ${id} NOT NULL,
    display_name TEXT,
    status TEXT NOT NULL,
    paused_by_billing SMALLINT NOT NULL,
    suspended_reason TEXT,
    provisioned SMALLINT NOT NULL,
    sent_day TEXT NOT NULL,
    sent_day_count BIGINT NOT NULL,
    sent_month TEXT NOT NULL,
    sent_month_count BIGINT NOT NULL,
    received_month TEXT NOT NULL,
    received_month_count BIGINT NOT NULL,
    sent_minute TEXT NOT NULL,
    sent_minute_count BIGINT NOT NULL,
    over_limit_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  `CREATE UNIQUE INDEX mailboxes_address ON mailboxes (full_address)`,
  `CREATE INDEX mailboxes_account ON mailboxes (account_id, created_at, id)`,

  // Exactly one of bytes and blob_key is set.
  `CREATE TABLE raw_mails (
    id ${id} NOT NULL PRIMARY KEY,
    size_bytes BIGINT NOT NULL,
    bytes ${blob},
    blob_key TEXT,
    created_at BIGINT NOT NULL
  )`,

  `CREATE TABLE inbound_queue (
    id ${id} NOT NULL PRIMARY KEY,
    raw_id ${id} NOT NULL REFERENCES raw_mails (id),
    envelope TEXT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    due_at BIGINT NOT NULL,
    locked_until BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
  ) ${clustered}`,
  `CREATE INDEX inbound_queue_due ON inbound_queue (due_at, id, locked_until)`,
  `CREATE INDEX inbound_queue_raw ON inbound_queue (raw_id)`,

  // `listing` is the content as lists show it, as JSON text; members that can change have columns. No foreign keys to
  // mailboxes and threads, whose rows are removed before their messages.
  `CREATE TABLE messages (
    id ${id} NOT NULL PRIMARY KEY,
    account_id ${id} NOT NULL,
    mailbox_id ${id} NOT NULL,
    thread_id ${id} NOT NULL,
    direction TEXT NOT NULL,
    status TEXT NOT NULL,
    gate TEXT,
    visible SMALLINT NOT NULL,
    labels TEXT NOT NULL,
    read_at BIGINT,
    sent_at BIGINT,
    created_at BIGINT NOT NULL,
    rfc_message_id ${id} NOT NULL,
    dedup_key ${id},
    raw_id ${id},
    listing TEXT NOT NULL
  )`,
  `CREATE INDEX messages_newest ON messages (mailbox_id, visible, created_at, id)`,
  `CREATE INDEX messages_direction ON messages (mailbox_id, visible, direction, created_at, id)`,
  `CREATE INDEX messages_thread ON messages (thread_id, visible, created_at, id, direction)`,
  // Finds a message by its Message-ID, and a duplicate of a mail, which has the same Message-ID and dedup_key.
  `CREATE UNIQUE INDEX messages_rfc_id ON messages (mailbox_id, rfc_message_id, dedup_key)`,
  `CREATE INDEX messages_gated ON messages (account_id, gate, created_at, id) WHERE gate IS NOT NULL`,
  `CREATE INDEX messages_sending ON messages (created_at, id) WHERE status = 'SENDING'`,
  `CREATE INDEX messages_raw ON messages (raw_id) WHERE raw_id IS NOT NULL`,

  // The bodies are set only when the listing cuts them.
  `CREATE TABLE message_details (
    message_id ${id} NOT NULL PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    headers TEXT NOT NULL,
    body_text TEXT,
    body_html TEXT
  )`,

  `CREATE TABLE threads (
    id ${id} NOT NULL PRIMARY KEY,
    account_id ${id} NOT NULL,
    mailbox_id ${id} NOT NULL,
    subject TEXT NOT NULL,
    base_subject TEXT NOT NULL,
    participants TEXT NOT NULL,
    message_count BIGINT NOT NULL,
    last_message_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
  ) ${clustered}`,
  `CREATE INDEX threads_active ON threads (mailbox_id, last_message_at, id) WHERE message_count > 0`,
  `CREATE INDEX threads_subject ON threads (mailbox_id, base_subject, last_message_at, id)`,

  `CREATE TABLE thread_links (
    mailbox_id ${id} NOT NULL,
    rfc_id ${id} NOT NULL,
    thread_id ${id} NOT NULL,
    PRIMARY KEY (mailbox_id, rfc_id)
  ) ${clustered}`,
  `CREATE INDEX thread_links_thread ON thread_links (thread_id)`,

  // Ids of absorbed threads. thread_id is never an absorbed thread itself.
  `CREATE TABLE thread_aliases (
    old_id ${id} NOT NULL PRIMARY KEY,
    thread_id ${id} NOT NULL
  ) ${clustered}`,
  `CREATE INDEX thread_aliases_thread ON thread_aliases (thread_id)`,

  `CREATE TABLE attachments (
    id ${id} NOT NULL PRIMARY KEY,
    account_id ${id} NOT NULL,
    mailbox_id ${id},
    message_id ${id},
    filename TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size_bytes BIGINT NOT NULL,
    content_id TEXT,
    blob_key ${id} NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  `CREATE INDEX attachments_message ON attachments (message_id) WHERE message_id IS NOT NULL`,
  `CREATE INDEX attachments_blob ON attachments (blob_key)`,
]
