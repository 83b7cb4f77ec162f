/** From a send body to the content of a draft and back, and the text whose digest an approval names. */
import { Either } from "effect"
import { InvalidInput, type Issue } from "../errors.js"
import type { OutgoingCalendar } from "../calendar/rsvp.js"
import type { AttachmentId } from "../ids.js"
import type { SendBody } from "../sending/send.js"
import type { DraftChanges } from "./bodies.js"
import { timestampOrNull } from "../time.js"
import type {
  DraftContent,
  DraftFile,
  DraftMailbox,
  DraftRecord,
  DraftReply,
  SubmittedFile,
} from "./Draft.js"

/** A draft in which nothing is written yet. */
export const noContent: DraftContent = {
  to: [],
  cc: [],
  bcc: [],
  subject: null,
  bodyText: null,
  bodyHtml: null,
  replyTo: null,
  headers: {},
  labels: [],
  bulk: false,
  attachments: [],
  reply: null,
  calendar: null,
  submitted: null,
}

/** The content of a send that is kept instead of sent. `submitted`: the mail that a client submitted by SMTP. */
export const contentOf = (
  body: SendBody,
  attachments: ReadonlyArray<DraftFile>,
  reply: DraftReply | null,
  calendar: OutgoingCalendar | null,
  submitted: SubmittedFile | null,
): DraftContent => ({
  to: body.to,
  cc: body.cc ?? [],
  bcc: body.bcc ?? [],
  subject: body.subject,
  bodyText: body.bodyText ?? null,
  bodyHtml: body.bodyHtml ?? null,
  replyTo: body.replyTo ?? null,
  headers: body.headers ?? {},
  labels: [...new Set(body.labels)],
  bulk: body.bulk ?? false,
  attachments,
  reply,
  calendar,
  submitted,
})

/**
 * The content after a change. Fields that are undefined stay. `attachments` and `reply`: those of the changed draft. A
 * submitted mail is dropped when what it says has changed: then the mail is composed of the fields.
 */
export const changedContent = (
  content: DraftContent,
  changes: DraftChanges,
  attachments: ReadonlyArray<DraftFile>,
  reply: DraftReply | null,
): DraftContent => {
  const { to, cc, bcc, subject, bodyText, bodyHtml, replyTo, headers, labels, bulk } = changes
  const changed: DraftContent = {
    to: to ?? content.to,
    cc: cc ?? content.cc,
    bcc: bcc ?? content.bcc,
    subject: subject === undefined ? content.subject : subject,
    bodyText: bodyText === undefined ? content.bodyText : bodyText,
    bodyHtml: bodyHtml === undefined ? content.bodyHtml : bodyHtml,
    replyTo: replyTo === undefined ? content.replyTo : replyTo,
    headers: headers ?? content.headers,
    labels: labels === undefined ? content.labels : [...new Set(labels)],
    bulk: bulk ?? content.bulk,
    attachments,
    reply,
    calendar: content.calendar,
    submitted: content.submitted,
  }
  const isSameMail = digestedText(changed) === digestedText(content)
  return isSameMail ? changed : { ...changed, submitted: null }
}

/** The body that sends a draft. `InvalidInput` names what a send needs and the draft does not have yet. */
export const sendBodyOf = (content: DraftContent): Either.Either<SendBody, InvalidInput> => {
  const { to, bodyText, bodyHtml, replyTo, reply, submitted } = content
  // A submitted mail may have blind copies only, no subject and no text.
  const subject = submitted === null ? content.subject : (content.subject ?? "")
  const missing: ReadonlyArray<Issue> = [
    ...(to.length === 0 ? [{ path: "to", message: "needs a recipient" }] : []),
    ...(subject === null ? [{ path: "subject", message: "is required" }] : []),
    ...((bodyText ?? "") === "" && (bodyHtml ?? "") === ""
      ? [{ path: "bodyText", message: "bodyText or bodyHtml is required" }]
      : []),
  ]
  if (subject === null || (missing.length > 0 && submitted === null))
    return Either.left(new InvalidInput({ issues: missing }))
  return Either.right({
    to,
    cc: content.cc,
    bcc: content.bcc,
    subject,
    ...(bodyText !== null && { bodyText }),
    ...(bodyHtml !== null && { bodyHtml }),
    ...(replyTo !== null && { replyTo }),
    ...(reply !== null && { inReplyTo: reply.inReplyTo }),
    headers: content.headers,
    labels: content.labels,
    bulk: content.bulk,
    attachments: content.attachments.map(({ id }) => id),
  })
}

/** The ids of all files of a draft: its attachments and the submitted mail. */
export const filesOf = ({ attachments, submitted }: DraftContent): ReadonlyArray<AttachmentId> =>
  [...attachments, ...(submitted === null ? [] : [submitted])].map(({ id }) => id)

/** Begins the digested text, so that another encoding never gives the same digest. */
const ENCODING = "mailroom draft 1"
const APPROVAL_ENCODING = "mailroom approval 1"

/**
 * The canonical text of what a mail is made of: JSON arrays in a fixed order. Its SHA-256 is the digest of a draft. Labels
 * are not part of the mail, and the ids of files may change: their bytes count. The bytes of a submitted mail come last, so
 * that any other content has the text that it had before there were submitted mails.
 */
export const digestedText = (content: DraftContent): string => {
  const { to, cc, bcc, subject, bodyText, bodyHtml, replyTo, headers, bulk, attachments, reply, calendar } =
    content
  const { submitted } = content
  return JSON.stringify([
    ENCODING,
    to,
    cc,
    bcc,
    subject,
    bodyText,
    bodyHtml,
    replyTo,
    Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)),
    bulk,
    attachments.map((file) => [file.filename, file.contentType, file.contentId, file.sizeBytes, file.sha256]),
    reply === null ? null : [reply.links.inReplyTo, reply.links.references, reply.automated],
    calendar === null ? null : [calendar.method, calendar.content],
    ...(submitted === null ? [] : [submitted.sha256]),
  ])
}

/**
 * The canonical text of what an approver sees beside the content: the display name in From, which belongs to the mailbox, and
 * the time. Null without both: then the digest of the content is that of the draft.
 */
export const approvableText = (
  { content, digest, sendAt }: Pick<DraftRecord, "content" | "digest" | "sendAt">,
  mailbox: DraftMailbox,
): string | null => {
  // That of a submitted mail is in its bytes.
  const fromName = content.submitted === null ? mailbox.displayName : null
  return fromName === null && sendAt === null
    ? null
    : JSON.stringify([APPROVAL_ENCODING, digest, fromName, timestampOrNull(sendAt)])
}

const encoder = new TextEncoder()

/** Bytes of a content that count as storage. Files count by themselves. */
export const contentSize = (content: DraftContent): number =>
  encoder.encode(JSON.stringify({ ...content, attachments: [], submitted: undefined })).length

/** Bytes of storage that are free once the draft is sent. Its attachments stay with the message. */
export const sentDraftBytes = ({ content, sizeBytes }: Pick<DraftRecord, "content" | "sizeBytes">): number =>
  sizeBytes + (content.submitted?.sizeBytes ?? 0)
