/** Claims of messages, and the slots of waiting requests (docs/decisions/0062). */
import type { Dialect } from "../dialect.js"

export const claimTables = ({ id, clustered }: Dialect): ReadonlyArray<string> => [
  // 1: the message has a claim that is CLAIMED or COMPLETED, or whose lease ended and that nobody has noticed yet.
  `ALTER TABLE messages ADD COLUMN claimed SMALLINT NOT NULL DEFAULT 0`,
  // The work that is left in a mailbox, oldest first. A claim reads its first entry, whatever was completed before it.
  `CREATE INDEX messages_free ON messages (mailbox_id, created_at, id)
    WHERE direction = 'INBOUND' AND visible = 1 AND claimed = 0`,

  // Only messages that were claimed at least once have a row. mailbox_id and created_at are those of the message.
  `CREATE TABLE message_claims (
    message_id ${id} NOT NULL PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    mailbox_id ${id} NOT NULL,
    created_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    token_hash TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    lease_seconds BIGINT NOT NULL
  ) ${clustered}`,
  `CREATE INDEX message_claims_ends ON message_claims (mailbox_id, expires_at) WHERE state = 'CLAIMED'`,
  `CREATE INDEX message_claims_listed ON message_claims (mailbox_id, state, created_at, message_id, expires_at)`,

  `CREATE TABLE wait_slots (
    account_id ${id} NOT NULL,
    place BIGINT NOT NULL,
    locked_by ${id} NOT NULL,
    PRIMARY KEY (account_id, place)
  ) ${clustered}`,
  `CREATE INDEX wait_slots_holder ON wait_slots (locked_by)`,
]
