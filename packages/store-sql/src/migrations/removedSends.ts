/** What reports about deleted messages need (docs/decisions/0068). */
import type { Dialect } from "../dialect.js"

export const removedSendTable = ({ id, clustered }: Dialect): ReadonlyArray<string> => [
  // send_number: as in messages. recipients: JSON with To, Cc and Bcc of the message.
  `CREATE TABLE removed_sends (
    message_id ${id} NOT NULL PRIMARY KEY,
    mailbox_id ${id} NOT NULL,
    send_number BIGINT NOT NULL,
    recipients TEXT NOT NULL,
    removed_at BIGINT NOT NULL
  ) ${clustered}`,
  `CREATE INDEX removed_sends_mailbox ON removed_sends (mailbox_id, message_id)`,
  `CREATE INDEX removed_sends_age ON removed_sends (removed_at)`,
]
