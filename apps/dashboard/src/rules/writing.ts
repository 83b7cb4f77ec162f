/** What a person writes: from a message to its answer, and between the fields of the page and those of a draft. */
import type { Draft, DraftAttachment, DraftPatch, Message } from "@mailroom/client"
import { isAddress, recipientsIssue, recipientText, sameAddress, splitRecipients } from "./recipients.js"

/** The message that is forwarded: it follows the text of the writer. */
export interface Quoted {
  readonly text: string
  /** null when the message is plain text */
  readonly html: string | null
}

export type WrittenFile = Pick<DraftAttachment, "id" | "filename" | "contentType" | "sizeBytes">

export interface Writing {
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  readonly bcc: ReadonlyArray<string>
  readonly subject: string
  readonly text: string
  /** the formatted version that the draft came with; it ends when the text is changed */
  readonly html: string | null
  readonly quoted: Quoted | null
  readonly files: ReadonlyArray<WrittenFile>
  /** the id of the answered message; null for a new mail */
  readonly inReplyTo: string | null
}

export const emptyWriting: Writing = {
  to: [],
  cc: [],
  bcc: [],
  subject: "",
  text: "",
  html: null,
  quoted: null,
  files: [],
  inReplyTo: null,
}

/** Reply and forward prefixes in the languages that are most frequent. */
const REPLY = /^\s*(?:re|aw|antw|sv|vs|odp|rép|res)(?:\[\d+\])?\s*:/i
const FORWARD = /^\s*(?:fwd|fw|wg|tr|rv|pd)(?:\[\d+\])?\s*:/i

const prefixed = (prefix: string, has: RegExp, subject: string): string =>
  has.test(subject) ? subject.trim() : `${prefix} ${subject.trim()}`.trim()

/** The address without its +tag, to compare. */
const untagged = (address: string): string => sameAddress(address).replace(/\+[^@]*@/, "@")

const without = (list: ReadonlyArray<string>, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = new Set(others.map(untagged))
  return list.filter((one) => !left.has(untagged(one)))
}

const unique = (list: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Map(list.map((one) => [sameAddress(one), one])).values(),
]

type Answered = Pick<
  Message,
  | "id"
  | "direction"
  | "fromAddress"
  | "fromName"
  | "toAddresses"
  | "ccAddresses"
  | "replyTo"
  | "subject"
  | "headers"
>

/** Where the author wants answers: all addresses of Reply-To, else From. */
const addressees = ({ direction, fromAddress, fromName, toAddresses, replyTo, headers }: Answered) => {
  if (direction === "OUTBOUND") return toAddresses
  const wanted =
    replyTo === null ? [] : [replyTo, ...splitRecipients([headers["reply-to"] ?? []].flat().join(","))]
  const usable = unique(wanted.filter((one) => isAddress(sameAddress(one))))
  return usable.length > 0 ? usable : [recipientText({ address: fromAddress, name: fromName })]
}

/** An answer from the mailbox `own`: to the author, or to everybody. The mailbox itself gets it only when nobody else is left. */
export const answerTo = (message: Answered, own: string, everybody: boolean): Writing => {
  const first = addressees(message)
  const to = without(unique(everybody ? [...first, ...message.toAddresses] : first), [own])
  const cc = everybody ? without(unique(message.ccAddresses), [own, ...to]) : []
  return {
    ...emptyWriting,
    to: to.length > 0 || cc.length > 0 ? to : [own],
    cc,
    subject: prefixed("Re:", REPLY, message.subject),
    inReplyTo: message.id,
  }
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Text as HTML that keeps its lines. */
const asHtml = (text: string): string => `<div style="white-space:pre-wrap">${escaped(text)}</div>`

type Forwarded = Pick<
  Message,
  | "fromAddress"
  | "fromName"
  | "toAddresses"
  | "ccAddresses"
  | "subject"
  | "bodyText"
  | "bodyHtml"
  | "createdAt"
  | "headers"
  | "attachments"
>

const RULE = "---------- Forwarded message ---------"

const headOf = ({
  fromAddress,
  fromName,
  toAddresses,
  ccAddresses,
  subject,
  headers,
  createdAt,
}: Forwarded) => {
  const [date = new Date(createdAt).toUTCString()] = [headers["date"] ?? []].flat()
  const lines: ReadonlyArray<readonly [string, string]> = [
    ["From", recipientText({ address: fromAddress, name: fromName })],
    ["Date", date],
    ["Subject", subject],
    ["To", toAddresses.join(", ")],
    ["Cc", ccAddresses.join(", ")],
  ]
  return lines.filter(([, value]) => value !== "")
}

/** A forward: the message with its files, below what the writer adds. */
export const forwardOf = (message: Forwarded): Writing => {
  const head = headOf(message)
  const text = [RULE, ...head.map(([name, value]) => `${name}: ${value}`), "", message.bodyText ?? ""].join(
    "\n",
  )
  const rows = head.map(([name, value]) => `<b>${name}:</b> ${escaped(value)}`)
  const html =
    message.bodyHtml === null
      ? null
      : `<div>${[RULE, ...rows].join("<br>\n")}</div>\n<br>\n${message.bodyHtml}`
  return {
    ...emptyWriting,
    subject: prefixed("Fwd:", FORWARD, message.subject),
    quoted: { text, html },
    files: message.attachments.map(({ id, filename, contentType, sizeBytes }) => ({
      id,
      filename,
      contentType,
      sizeBytes,
    })),
  }
}

/** The fields of a draft. A mail that is HTML alone is written on as `textOfHtml`. */
export const writingOf = (draft: Draft, textOfHtml: (html: string) => string): Writing => ({
  to: draft.to,
  cc: draft.cc,
  bcc: draft.bcc,
  subject: draft.subject ?? "",
  text: draft.bodyText ?? (draft.bodyHtml === null ? "" : textOfHtml(draft.bodyHtml)),
  html: draft.bodyHtml,
  quoted: null,
  files: draft.attachments,
  inReplyTo: draft.inReplyTo,
})

const bodyOf = ({ text, html, quoted }: Writing): { readonly text: string; readonly html: string | null } => {
  if (quoted === null) return { text, html }
  const comment = text.trim() === "" ? "" : `${text}\n\n`
  return {
    text: `${comment}${quoted.text}`,
    html: quoted.html === null ? null : `${comment === "" ? "" : `${asHtml(text)}\n<br>\n`}${quoted.html}`,
  }
}

/** What the service keeps of it. Recipients that are no addresses stay in the page. */
export const draftFields = (writing: Writing) => {
  const { text, html } = bodyOf(writing)
  const valid = (list: ReadonlyArray<string>) => list.filter((one) => isAddress(sameAddress(one)))
  return {
    to: valid(writing.to),
    cc: valid(writing.cc),
    bcc: valid(writing.bcc),
    subject: writing.subject.trim() === "" ? null : writing.subject.trim(),
    bodyText: text === "" ? null : text,
    bodyHtml: html,
    attachments: writing.files.map(({ id }) => id),
    inReplyTo: writing.inReplyTo,
  } satisfies DraftPatch
}

/** Whether the page has recipients that the service cannot keep, because they are no addresses. */
export const hasUnkept = ({ to, cc, bcc }: Writing): boolean =>
  [...to, ...cc, ...bcc].some((one) => !isAddress(sameAddress(one)))

/** The text is changed: a formatted version that says something else would mislead. */
export const withText = (writing: Writing, text: string): Writing =>
  text === writing.text ? writing : { ...writing, text, html: null }

/** Whether a person has written something that is worth keeping. */
export const isWorthKeeping = (now: Writing, start: Writing): boolean =>
  JSON.stringify(draftFields(now)) !== JSON.stringify(draftFields(start))

/** What a draft has beyond the form of the page, in words: an agent may have written it. */
export const beyondForm = ({
  replyTo,
  headers,
  bulk,
  submitted,
}: Pick<Draft, "replyTo" | "headers" | "bulk" | "submitted">): ReadonlyArray<string> => [
  ...(replyTo === null ? [] : [`Answers to this mail go to ${replyTo}.`]),
  ...(bulk ? ["Each recipient gets a mail of their own, with a link to unsubscribe."] : []),
  ...Object.entries(headers).map(([name, value]) => `It has the header ${name}: ${value}.`),
  ...(submitted === null
    ? []
    : ["It came by SMTP and leaves byte for byte as it came, unless you change it."]),
]

/**
 * Whether the page shows everything that leaves, so that sending it is approving it. A formatted version is made here when a
 * message is forwarded; any other was written elsewhere.
 */
export const isWholeInForm = (
  draft: Parameters<typeof beyondForm>[0] & Pick<Draft, "bodyHtml">,
  isBegunHere: boolean,
): boolean => beyondForm(draft).length === 0 && (draft.bodyHtml === null || isBegunHere)

/** What is missing or wrong before the mail can leave, by field. */
export const writingIssues = (
  writing: Writing,
): Readonly<Partial<Record<"to" | "cc" | "bcc" | "subject" | "text", string>>> => {
  const { to, cc, bcc, subject } = writing
  const wrongTo = recipientsIssue(to)
  const issues = {
    to: wrongTo ?? (to.length === 0 ? "Add a recipient." : undefined),
    cc: recipientsIssue(cc),
    bcc: recipientsIssue(bcc),
    subject: subject.trim() === "" ? "Write a subject." : undefined,
    text: draftFields(writing).bodyText === null ? "Write a text." : undefined,
  }
  return Object.fromEntries(Object.entries(issues).filter(([, issue]) => issue !== undefined))
}
