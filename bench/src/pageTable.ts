/** How the server compared with keeps a message: texts as they are, flags as 0 or 1, everything else as JSON. */
import type { MessageListItem } from "@mailroom/domain"

type Field = Exclude<keyof MessageListItem, "truncated">

/** The compiler asks for a column for each field that a message gets. */
const columns: Readonly<Record<Field, "text" | "flag" | "json">> = {
  id: "text",
  mailboxId: "text",
  threadId: "text",
  direction: "text",
  status: "text",
  deliveredTo: "text",
  messageId: "text",
  inReplyTo: "text",
  references: "json",
  fromAddress: "text",
  fromName: "text",
  toAddresses: "json",
  ccAddresses: "json",
  bccAddresses: "json",
  replyTo: "text",
  subject: "text",
  bodyText: "text",
  bodyHtml: "text",
  extractedText: "text",
  hasAttachments: "flag",
  attachmentsDropped: "flag",
  attachmentsDroppedReason: "text",
  overLimit: "flag",
  automated: "flag",
  authentication: "json",
  codes: "json",
  links: "json",
  labels: "json",
  calendar: "json",
  trust: "json",
  spam: "json",
  claim: "json",
  quarantined: "json",
  readAt: "text",
  createdAt: "text",
  sentAt: "text",
  receivedAt: "text",
  attachments: "json",
}
const fields = Object.keys(columns)
const flags = Object.entries(columns).flatMap(([field, kind]) => (kind === "flag" ? [field] : []))
const json = Object.entries(columns).flatMap(([field, kind]) => (kind === "json" ? [field] : []))

export type Row = Readonly<Record<string, unknown>>

export const schema = `
  CREATE TABLE keys (hash TEXT PRIMARY KEY, account_id TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE mailboxes (id TEXT PRIMARY KEY, account_id TEXT NOT NULL, over_limit_count INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE messages (${fields.map((field) => `"${field}"`).join(", ")}, PRIMARY KEY (id));
  CREATE INDEX messages_by_time ON messages (mailboxId, createdAt DESC, id DESC);
`

export const insertMessage = `INSERT INTO messages VALUES (${fields.map((field) => `@${field}`).join(", ")})`

export const toStored = (message: Row): Row => {
  const row: Record<string, unknown> = { ...message }
  for (const field of flags) row[field] = Number(row[field])
  for (const field of json) row[field] = JSON.stringify(row[field])
  return row
}

export const toServed = (stored: Row): Row => {
  const row: Record<string, unknown> = { ...stored }
  for (const field of flags) row[field] = row[field] === 1
  for (const field of json) row[field] = JSON.parse(String(row[field]))
  return row
}
