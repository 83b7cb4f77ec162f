/** Accounts, their sessions, tokens and keys, checkouts, suppressions, and rate limits. */
import type { Dialect } from "../dialect.js"

export const accountTables = ({ id }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE accounts (
    id ${id} NOT NULL PRIMARY KEY,
    email TEXT NOT NULL,
    name TEXT,
    slug TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    plan TEXT NOT NULL,
    billing_period TEXT NOT NULL,
    lapsed SMALLINT NOT NULL,
    billing_reference TEXT,
    intent_plan TEXT,
    intent_period TEXT,
    email_verified_at BIGINT,
    suspended_at BIGINT,
    suspended_reason TEXT,
    trial_sends BIGINT NOT NULL,
    trial_receives BIGINT NOT NULL,
    sent_day TEXT NOT NULL,
    sent_day_count BIGINT NOT NULL,
    sent_month TEXT NOT NULL,
    sent_month_count BIGINT NOT NULL,
    received_day TEXT NOT NULL,
    received_day_count BIGINT NOT NULL,
    received_month TEXT NOT NULL,
    received_month_count BIGINT NOT NULL,
    bounced_day TEXT NOT NULL,
    bounced_day_count BIGINT NOT NULL,
    over_limit_count BIGINT NOT NULL,
    over_limit_month TEXT,
    storage_used_bytes BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    event_seq BIGINT NOT NULL DEFAULT 0
  )`,
  `CREATE UNIQUE INDEX accounts_email ON accounts (email)`,
  `CREATE UNIQUE INDEX accounts_slug ON accounts (slug)`,

  `CREATE TABLE sessions (
    hash ${id} NOT NULL PRIMARY KEY,
    account_id ${id} NOT NULL REFERENCES accounts (id),
    expires_at BIGINT NOT NULL
  )`,
  `CREATE INDEX sessions_account ON sessions (account_id)`,

  `CREATE TABLE mail_tokens (
    hash ${id} NOT NULL PRIMARY KEY,
    account_id ${id} NOT NULL REFERENCES accounts (id),
    purpose TEXT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  `CREATE INDEX mail_tokens_account ON mail_tokens (account_id)`,

  `CREATE TABLE api_keys (
    id ${id} NOT NULL PRIMARY KEY,
    account_id ${id} NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    hash ${id} NOT NULL,
    mailbox_ids TEXT,
    revoked_at BIGINT,
    last_used_at BIGINT,
    created_at BIGINT NOT NULL
  )`,
  `CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash)`,
  `CREATE INDEX api_keys_account ON api_keys (account_id, created_at, id)`,

  `CREATE TABLE checkouts (
    token_hash ${id} NOT NULL PRIMARY KEY,
    account_id ${id} NOT NULL REFERENCES accounts (id),
    plan TEXT NOT NULL,
    period TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    completed_at BIGINT
  )`,
  `CREATE INDEX checkouts_account ON checkouts (account_id)`,

  `CREATE TABLE suppressions (
    id ${id} NOT NULL PRIMARY KEY,
    account_id ${id} NOT NULL REFERENCES accounts (id),
    email ${id} NOT NULL,
    reason TEXT NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  `CREATE UNIQUE INDEX suppressions_email ON suppressions (account_id, email)`,

  `CREATE TABLE rate_limits (
    counter ${id} NOT NULL,
    window_start BIGINT NOT NULL,
    uses BIGINT NOT NULL,
    PRIMARY KEY (counter, window_start)
  )`,
  `CREATE INDEX rate_limits_window ON rate_limits (window_start)`,
]
