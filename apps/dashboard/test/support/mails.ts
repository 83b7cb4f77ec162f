/** Drafts and messages as the service shows them. */
import type { Draft, Message } from "@mailroom/client"

export const NOON = new Date("2026-03-09T12:00:00Z")

const attachmentsOf = (count: number): Draft["attachments"] =>
  Array.from({ length: count }, (_, at) => ({
    id: `file-${at}`,
    filename: `file-${at}.txt`,
    contentType: "text/plain",
    sizeBytes: 5,
    contentId: null,
    sha256: "1".repeat(64),
  }))

/** `files`: how many it has */
export const draft = ({
  files = 0,
  ...fields
}: Partial<Draft> & { readonly files?: number } = {}): Draft => ({
  id: "01a20917-d382-7029-b47f-0398070e941d",
  mailboxId: "01a20917-c360-7726-b065-042cc9b0c33a",
  status: "PENDING_REVIEW",
  fromAddress: "agent@acme.dev",
  fromName: null,
  to: ["ada@acme.dev"],
  cc: [],
  bcc: [],
  subject: "Plan",
  bodyText: null,
  bodyHtml: null,
  inReplyTo: null,
  headers: {},
  replyTo: null,
  labels: [],
  bulk: false,
  submitted: null,
  sendAt: null,
  clientId: null,
  digest: "0".repeat(64),
  review: null,
  error: null,
  createdAt: NOON.toISOString(),
  updatedAt: NOON.toISOString(),
  ...fields,
  attachments: files > 0 ? attachmentsOf(files) : (fields.attachments ?? []),
})

export const message: Message = {
  id: "01a20916-c4fd-7190-bbb4-67111eb79df1",
  mailboxId: "01a20917-c360-7726-b065-042cc9b0c33a",
  direction: "INBOUND",
  deliveredTo: "agent@acme.dev",
  messageId: "<1@corp.org>",
  inReplyTo: null,
  references: [],
  fromAddress: "bob@corp.org",
  fromName: "Bob, Jr.",
  toAddresses: ["agent@acme.dev", "ada@corp.org"],
  ccAddresses: ["carol@corp.org"],
  bccAddresses: [],
  replyTo: null,
  subject: "Offer",
  bodyText: "How much?",
  bodyHtml: null,
  extractedText: "How much?",
  hasAttachments: false,
  attachmentsDropped: false,
  attachmentsDroppedReason: null,
  automated: false,
  authentication: null,
  codes: [],
  links: [],
  calendar: null,
  trust: null,
  spam: null,
  createdAt: NOON.toISOString(),
  receivedAt: NOON.toISOString(),
  attachments: [],
  threadId: "01a20916-c4fd-7190-bbb4-000000000000",
  status: "RECEIVED",
  overLimit: false,
  labels: [],
  readAt: null,
  sentAt: null,
  claim: null,
  quarantined: null,
  headers: {},
}
