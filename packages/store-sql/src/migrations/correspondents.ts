/** The addresses that each mailbox has exchanged mail with (docs/decisions/0067). */
import type { Dialect } from "../dialect.js"

export const correspondentTables = ({ id, bytewise, clustered }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE correspondents (
    mailbox_id ${id} NOT NULL,
    address TEXT ${bytewise} NOT NULL,
    heard_at BIGINT,
    written_at BIGINT,
    approved_at BIGINT,
    PRIMARY KEY (mailbox_id, address)
  ) ${clustered}`,
  // The domains that a mailbox wrote to, by their skeleton: names that look alike have the same.
  `CREATE TABLE correspondent_domains (
    mailbox_id ${id} NOT NULL,
    skeleton TEXT ${bytewise} NOT NULL,
    domain TEXT ${bytewise} NOT NULL,
    PRIMARY KEY (mailbox_id, skeleton, domain)
  ) ${clustered}`,
  // Mailboxes of earlier versions whose messages are still to be read for correspondents, those after this position.
  `CREATE TABLE unread_correspondents (
    mailbox_id ${id} NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL,
    message_id ${id} NOT NULL
  ) ${clustered}`,
  `INSERT INTO unread_correspondents (mailbox_id, created_at, message_id)
    SELECT id, 0, '' FROM mailboxes`,
]
