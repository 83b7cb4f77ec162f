/** How the server compared with keeps a message: scalars as columns, lists as JSON, booleans as 0 or 1. */
import type { PageRow } from "./pageRow.js"

type Lists =
  | "references"
  | "toAddresses"
  | "ccAddresses"
  | "bccAddresses"
  | "authentication"
  | "codes"
  | "links"
  | "labels"
  | "attachments"
type Booleans = "hasAttachments" | "attachmentsDropped" | "overLimit" | "automated"

export type StoredRow = Omit<PageRow, Lists | Booleans> & Record<Lists, string> & Record<Booleans, number>

export const schema = `
  CREATE TABLE keys (hash TEXT PRIMARY KEY, account_id TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE mailboxes (id TEXT PRIMARY KEY, account_id TEXT NOT NULL, over_limit_count INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE messages (
    id TEXT PRIMARY KEY, mailboxId TEXT NOT NULL, threadId TEXT, direction TEXT, status TEXT, messageId TEXT,
    inReplyTo TEXT, "references" TEXT, fromAddress TEXT, fromName TEXT, toAddresses TEXT, ccAddresses TEXT,
    bccAddresses TEXT, replyTo TEXT, subject TEXT, bodyText TEXT, bodyHtml TEXT, extractedText TEXT,
    hasAttachments INTEGER, attachmentsDropped INTEGER, attachmentsDroppedReason TEXT, overLimit INTEGER,
    automated INTEGER, authentication TEXT, codes TEXT, links TEXT, labels TEXT, readAt TEXT, createdAt TEXT,
    sentAt TEXT, receivedAt TEXT, attachments TEXT
  );
  CREATE INDEX messages_by_time ON messages (mailboxId, createdAt DESC, id DESC);
`

export const insertMessage = `INSERT INTO messages VALUES (
  @id, @mailboxId, @threadId, @direction, @status, @messageId, @inReplyTo, @references, @fromAddress, @fromName,
  @toAddresses, @ccAddresses, @bccAddresses, @replyTo, @subject, @bodyText, @bodyHtml, @extractedText,
  @hasAttachments, @attachmentsDropped, @attachmentsDroppedReason, @overLimit, @automated, @authentication, @codes,
  @links, @labels, @readAt, @createdAt, @sentAt, @receivedAt, @attachments
)`

export const toStored = (row: PageRow): StoredRow => ({
  ...row,
  references: JSON.stringify(row.references),
  toAddresses: JSON.stringify(row.toAddresses),
  ccAddresses: JSON.stringify(row.ccAddresses),
  bccAddresses: JSON.stringify(row.bccAddresses),
  authentication: JSON.stringify(row.authentication),
  codes: JSON.stringify(row.codes),
  links: JSON.stringify(row.links),
  labels: JSON.stringify(row.labels),
  attachments: JSON.stringify(row.attachments),
  hasAttachments: Number(row.hasAttachments),
  attachmentsDropped: Number(row.attachmentsDropped),
  overLimit: Number(row.overLimit),
  automated: Number(row.automated),
})

export const toServed = (row: StoredRow): PageRow => ({
  ...row,
  references: JSON.parse(row.references),
  toAddresses: JSON.parse(row.toAddresses),
  ccAddresses: JSON.parse(row.ccAddresses),
  bccAddresses: JSON.parse(row.bccAddresses),
  authentication: JSON.parse(row.authentication),
  codes: JSON.parse(row.codes),
  links: JSON.parse(row.links),
  labels: JSON.parse(row.labels),
  attachments: JSON.parse(row.attachments),
  hasAttachments: row.hasAttachments === 1,
  attachmentsDropped: row.attachmentsDropped === 1,
  overLimit: row.overLimit === 1,
  automated: row.automated === 1,
})
