/** Counters of mail, and the windows of sends by which mailboxes are judged (docs/decisions/0068). */
import type { Dialect } from "../dialect.js"

export const reputationTables = ({ id, clustered }: Dialect): ReadonlyArray<string> => [
  // owner_id: a mailbox, or an account, whose rows count all its mailboxes. period: 'hour' or 'day'; at: its start, UTC.
  `CREATE TABLE mail_counts (
    owner_id ${id} NOT NULL,
    period TEXT NOT NULL,
    at BIGINT NOT NULL,
    received BIGINT NOT NULL,
    sent BIGINT NOT NULL,
    delivered BIGINT NOT NULL,
    bounced BIGINT NOT NULL,
    complained BIGINT NOT NULL,
    gated BIGINT NOT NULL,
    quarantined BIGINT NOT NULL,
    PRIMARY KEY (owner_id, period, at)
  ) ${clustered}`,
  `CREATE INDEX mail_counts_age ON mail_counts (period, at)`,

  // sends: the number of the mailbox's last send. The window begins after the send began_after.
  `CREATE TABLE sending_windows (
    mailbox_id ${id} NOT NULL PRIMARY KEY REFERENCES mailboxes (id) ON DELETE CASCADE,
    sends BIGINT NOT NULL,
    began_after BIGINT NOT NULL,
    warned SMALLINT NOT NULL
  ) ${clustered}`,
  // One row for each send of the window that bounced or was complained about.
  `CREATE TABLE sending_reports (
    mailbox_id ${id} NOT NULL REFERENCES mailboxes (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    PRIMARY KEY (mailbox_id, number, outcome)
  ) ${clustered}`,

  // The number of the last send of the message; null while it is not SENT, and in messages of earlier versions.
  `ALTER TABLE messages ADD COLUMN send_number BIGINT`,
  `ALTER TABLE mailboxes ADD COLUMN sending_stopped_at BIGINT`,
  `ALTER TABLE mailboxes ADD COLUMN sending_stop_reason TEXT`,
  `CREATE INDEX mailboxes_stopped ON mailboxes (sending_stopped_at, id) WHERE sending_stopped_at IS NOT NULL`,
]
