/** Rules of the review queue: why a mail was held, what was shown of it, and what a decision led to. */
import {
  type Actor,
  type Draft,
  type DraftChanges,
  type DraftListItem,
  type HoldReason,
  MailroomError,
  type SendResult,
} from "@mailroom/client"
import { refusalWords } from "./refusals.js"
import { sameAddress } from "./recipients.js"
import { leavingText } from "./schedule.js"
import { countText } from "./texts.js"

/** The recipients that are new to the mailbox, as `sameAddress` writes them. */
export const newRecipients = (reasons: ReadonlyArray<HoldReason>): ReadonlySet<string> =>
  new Set(reasons.flatMap((reason) => (reason.code === "NEW_RECIPIENT" ? [sameAddress(reason.address)] : [])))

/** Why a mail waits, in words. */
export const holdText = (reasons: ReadonlyArray<HoldReason>): string => {
  const fresh = newRecipients(reasons).size
  const everySend = reasons.some(({ code }) => code === "EVERY_SEND")
  const rule = everySend
    ? "This mailbox asks for your approval of every mail."
    : "This mailbox asks for your approval of mail to new recipients."
  if (fresh === 0) return rule
  return `${rule} ${fresh === 1 ? "One recipient is" : `${fresh} recipients are`} new to it.`
}

/** The parts of a mail that a reader can see: each must be seen to its end. */
export type MailPart = "html" | "text"

export const partsOf = ({
  bodyHtml,
  bodyText,
}: Pick<Draft, "bodyHtml" | "bodyText">): ReadonlyArray<MailPart> => {
  const parts: ReadonlyArray<MailPart> = [
    ...((bodyHtml ?? "") === "" ? [] : (["html"] as const)),
    ...((bodyText ?? "") === "" ? [] : (["text"] as const)),
  ]
  return parts.length === 0 ? ["text"] : parts
}

/** What a reader saw of one content: parts to their end, and the end of the card with its files. */
export interface Seen {
  readonly digest: string
  readonly parts: ReadonlySet<MailPart>
  readonly end: boolean
}

export const nothingSeen = (digest: string): Seen => ({ digest, parts: new Set(), end: false })

/** Adds what came into sight. Another content begins anew. */
export const seenMore = (before: Seen | undefined, digest: string, more: MailPart | "end"): Seen => {
  const base = before?.digest === digest ? before : nothingSeen(digest)
  return more === "end" ? { ...base, end: true } : { ...base, parts: new Set([...base.parts, more]) }
}

type Read = Pick<DraftListItem, "id" | "digest" | "bodyHtml" | "bodyText" | "truncated">

/** Whether everything that leaves was shown, to its end. */
export const isShownWhole = (draft: Read, seen: Seen | undefined): boolean =>
  draft.truncated !== true &&
  seen?.digest === draft.digest &&
  seen.end &&
  partsOf(draft).every((part) => seen.parts.has(part))

/** Those of the chosen drafts that may be decided together: each was shown whole, and has the content that was shown. */
export const decidable = <One extends Read>(
  drafts: ReadonlyArray<One>,
  chosen: ReadonlySet<string>,
  seen: ReadonlyMap<string, Seen>,
): ReadonlyArray<One> =>
  drafts.filter((draft) => chosen.has(draft.id) && isShownWhole(draft, seen.get(draft.id)))

export interface Outcome {
  /** `sent` and `later`: approved; `failed`: approved, and then refused */
  readonly kind: "sent" | "later" | "failed"
  readonly text: string
}

/** What an approval led to. */
export const approvalOutcome = (
  result: SendResult,
  isPaused: boolean,
  now: Date,
  locale?: string,
): Outcome => {
  if (result.message !== undefined) return { kind: "sent", text: "Approved and sent." }
  const { status, sendAt, error } = result.draft
  if (status === "FAILED" && error !== null) {
    const { title, text } = refusalWords(error.code, error.message)
    return { kind: "failed", text: `Approved, but not sent. ${title}: ${text}` }
  }
  if (isPaused) return { kind: "later", text: "Approved. It leaves when you resume sending." }
  const at = sendAt === null ? now : new Date(sendAt)
  return at.getTime() > now.getTime()
    ? { kind: "later", text: `Approved. It leaves ${leavingText(at, locale)}.` }
    : { kind: "later", text: "Approved. It leaves as soon as the mail server can be reached." }
}

/**
 * Why a decision has no effect, because somebody was faster: `decided` elsewhere, `changed` since it was shown, `gone`. Null for
 * other errors.
 */
export const conflictOf = (error: unknown): "decided" | "changed" | "gone" | null => {
  if (!(error instanceof MailroomError)) return null
  switch (error.code) {
    case "NOT_PENDING_REVIEW":
      return "decided"
    case "DIGEST_MISMATCH":
      return "changed"
    case "DRAFT_NOT_FOUND":
      return "gone"
    default:
      return null
  }
}

/** What happened elsewhere to a mail that waited here. */
export type Fate = "approved" | "rejected" | "expired" | "taken back" | "gone"

export interface Settled {
  readonly fate: Fate
  /** who decided; null when it is not known, or nobody did */
  readonly by: Actor | null
}

const fateWords = {
  expired: { title: "Too late", text: "The time for the approval is over. The mail was not sent." },
  "taken back": {
    title: "Taken back",
    text: "The agent changed this mail, so it does not wait any more. If the agent sends it again, it comes back.",
  },
  gone: { title: "No longer here", text: "This mail was sent or deleted elsewhere." },
} as const

const deciderText = (by: Actor | null): string => {
  switch (by?.kind) {
    case "key":
      return by.name === undefined ? "A key" : `The key “${by.name}”`
    case "session":
      return "You, in another tab or on another device,"
    default:
      return "Somebody"
  }
}

export const settledWords = ({ fate, by }: Settled): { readonly title: string; readonly text: string } => {
  switch (fate) {
    case "approved":
      return { title: "Approved elsewhere", text: `${deciderText(by)} approved this mail.` }
    case "rejected":
      return { title: "Rejected elsewhere", text: `${deciderText(by)} rejected this mail. It was not sent.` }
    default:
      return fateWords[fate]
  }
}

const byEvent: Readonly<Record<string, Fate>> = {
  "draft.approved": "approved",
  "draft.rejected": "rejected",
  "draft.expired": "expired",
  "draft.withdrawn": "taken back",
  "message.sent": "gone",
}

/** The fate that an event about a draft, or about the message with its id, tells of; undefined for other events. */
export const fateOfEvent = (event: { readonly event: string; readonly data: object }): Fate | undefined =>
  "deleted" in event.data && event.data.deleted === true ? "gone" : byEvent[event.event]

/** The fate of a mail by what it is now, `null` when it is gone; null while it still waits. */
export const fateOf = (now: Pick<Draft, "status" | "error"> | null): Fate | null => {
  switch (now?.status) {
    case undefined:
      return "gone"
    case "DRAFT":
      return "taken back"
    case "SCHEDULED":
    case "FAILED":
      return "approved"
    case "REJECTED":
      return now?.error?.code === "REVIEW_EXPIRED" ? "expired" : "rejected"
    case "PENDING_REVIEW":
      return null
  }
}

/** What a reviewer may change. */
export interface EditedMail {
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  readonly bcc: ReadonlyArray<string>
  readonly subject: string
  readonly text: string
  /** null: the mail leaves as plain text */
  readonly html: string | null
  readonly files: Draft["attachments"]
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The changes of a reviewer, of which an approval sends those alone; null when nothing is changed. */
export const editsOf = (
  draft: Pick<Draft, "to" | "cc" | "bcc" | "subject" | "bodyText" | "bodyHtml" | "attachments">,
  shownText: string,
  edited: EditedMail,
): DraftChanges | null => {
  const files = edited.files.map(({ id }) => id)
  const edits: DraftChanges = {
    ...(!same(edited.to, draft.to) && { to: edited.to }),
    ...(!same(edited.cc, draft.cc) && { cc: edited.cc }),
    ...(!same(edited.bcc, draft.bcc) && { bcc: edited.bcc }),
    ...(edited.subject !== (draft.subject ?? "") && { subject: edited.subject }),
    ...(edited.text !== shownText && { bodyText: edited.text }),
    ...(edited.html !== draft.bodyHtml && { bodyHtml: edited.html }),
    ...(!same(
      files,
      draft.attachments.map(({ id }) => id),
    ) && { attachments: files }),
  }
  return Object.keys(edits).length === 0 ? null : edits
}

/** A mail that a reviewer is changing. */
export interface Editing {
  /** what the reviewer began with: if the agent changes the mail meanwhile, the approval is refused */
  readonly draft: DraftListItem
  /** the text of `draft`, also where it is HTML alone */
  readonly shownText: string
  readonly edited: EditedMail
}

/** The mails that a reviewer is changing, by id. */
export type Editings = ReadonlyMap<string, Editing>

/** Begins to change a mail, beside others. One that is open keeps its changes. */
export const beginEditing = (open: Editings, draft: DraftListItem, shownText: string): Editings => {
  if (open.has(draft.id)) return open
  const { to, cc, bcc, subject, bodyHtml: html, attachments: files } = draft
  const edited = { to, cc, bcc, subject: subject ?? "", text: shownText, html, files }
  return new Map([...open, [draft.id, { draft, shownText, edited }]])
}

export const changeEditing = (open: Editings, id: string, part: Partial<EditedMail>): Editings => {
  const editing = open.get(id)
  if (editing === undefined) return open
  return new Map([...open, [id, { ...editing, edited: { ...editing.edited, ...part } }]])
}

/** Ends the changes of a mail, because it was decided or the reviewer drops them. */
export const endEditing = (open: Editings, id: string): Editings =>
  new Map([...open].filter(([one]) => one !== id))

/** What leaving the page would lose; null for nothing. */
export const unsavedText = (open: Editings): string | null => {
  const count = [...open.values()].filter(
    ({ draft, shownText, edited }) => editsOf(draft, shownText, edited) !== null,
  ).length
  if (count === 0) return null
  return `Your changes to ${countText(count, "mail")} are not kept.`
}
