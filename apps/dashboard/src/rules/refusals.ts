/** Why a mail was not sent, in words with the next step. Codes are those of docs/specification/errors.md. */
import { MailroomError } from "@mailroom/client"
import { errorWords } from "./errors.js"

export interface RefusalWords {
  readonly title: string
  readonly text: string
  /** a page where the reader can do something about it */
  readonly link?: { readonly label: string; readonly href: string } | undefined
}

const plans = { label: "See plans", href: "/dashboard/billing" }

const known: Readonly<Record<string, RefusalWords>> = {
  RECIPIENT_SUPPRESSED: {
    title: "A recipient must not be written to",
    text: "Mail to this address bounced, was reported as spam, or was stopped by you. Remove the recipient, or take the address off the list.",
    link: { label: "Open suppressions", href: "/dashboard/suppressions" },
  },
  RECIPIENT_BLOCKED: {
    title: "A recipient is on a block list",
    text: "You or an agent blocked this address. Remove the recipient, or change the block list of the mailbox.",
    link: { label: "Open mailboxes", href: "/dashboard/mailboxes" },
  },
  RECIPIENT_NOT_ALLOWED: {
    title: "A recipient cannot be written to",
    text: "The address belongs to a throw-away or test domain. Remove the recipient.",
  },
  TRIAL_RECIPIENT_LOCKED: {
    title: "The trial writes to you alone",
    text: "During the trial, mail goes to your own verified address only. With a plan it goes to everybody.",
    link: plans,
  },
  PAYMENT_REQUIRED: {
    title: "This needs a plan",
    text: "The trial is used up, or the plan has ended. The draft is kept.",
    link: plans,
  },
  EMAIL_NOT_VERIFIED: {
    title: "Verify your address first",
    text: "Open the link in the mail that you got when you signed up. The draft is kept.",
  },
  ACCOUNT_SUSPENDED: {
    title: "This account is suspended",
    text: "The operator of the service has stopped it. Ask the operator in the settings.",
    link: { label: "Open settings", href: "/dashboard/settings" },
  },
  SENDING_PAUSED: {
    title: "All sending is paused",
    text: "Resume it with the switch in the navigation, then send again. The draft is kept.",
  },
  SENDING_STOPPED: {
    title: "This mailbox may not send",
    text: "Too many of its mails bounced or were reported as spam. Look at what happened, then resume it.",
    link: { label: "Open mailboxes", href: "/dashboard/mailboxes" },
  },
  MAILBOX_NOT_ACTIVE: {
    title: "This mailbox is paused",
    text: "Resume it, or send from another mailbox.",
    link: { label: "Open mailboxes", href: "/dashboard/mailboxes" },
  },
  DOMAIN_NOT_VERIFIED: {
    title: "The domain is not verified",
    text: "The DNS records of this mailbox’s domain are not complete.",
    link: { label: "Open domains", href: "/dashboard/domains" },
  },
  DRAFT_LIMIT_REACHED: {
    title: "There are 1,000 drafts",
    text: "Delete some, then try again.",
    link: { label: "Open drafts", href: "/dashboard/drafts" },
  },
  ATTACHMENT_NOT_FOUND: {
    title: "A file is gone",
    text: "It was deleted in the meantime. Remove it, and attach it again.",
  },
  SIZE_EXCEEDED: {
    title: "The mail is too large",
    text: "All files together may have 25 MB. Remove one, or send a link instead.",
  },
  STORAGE_FULL: {
    title: "The storage is full",
    text: "Delete mail with large files, or choose a larger plan.",
    link: plans,
  },
  DAILY_SEND_LIMIT_REACHED: {
    title: "The sends of today are used up",
    text: "Tomorrow this mailbox sends again. Schedule the mail, or choose a larger plan.",
    link: plans,
  },
  MONTHLY_SEND_LIMIT_REACHED: {
    title: "The sends of this month are used up",
    text: "A larger plan has more.",
    link: plans,
  },
  SEND_VELOCITY_EXCEEDED: {
    title: "Too many mails in a minute",
    text: "Wait a minute, then send again.",
  },
  MAIL_LOOP_CUT: {
    title: "Two machines answer each other",
    text: "This conversation had too many automatic answers in an hour. Wait, then send again.",
  },
  RELAY_REFUSED: {
    title: "The mail was refused",
    text: "The mail server does not take it. Check the addresses, if it names them.",
  },
  RELAY_UNAVAILABLE: {
    title: "Mail cannot leave at the moment",
    text: "The mail server cannot be reached. Try again in a few minutes; the draft is kept.",
  },
  SEND_UNCERTAIN: {
    title: "It is unknown whether the mail left",
    text: "The connection broke at the last moment. Ask a recipient before you send it again.",
  },
  THREAD_TAKEN_OVER: {
    title: "A person has taken this conversation over",
    text: "Agents cannot write into it until it is released. You can: send the mail yourself.",
  },
  REVIEW_EXPIRED: {
    title: "Nobody decided in time",
    text: "The time for the approval passed, so the mail was not sent. You can edit it and send it.",
  },
  MAILBOX_NOT_FOUND: {
    title: "The mailbox is gone",
    text: "It was deleted. Choose another one.",
  },
  DRAFT_NOT_FOUND: {
    title: "This draft is gone",
    text: "It was sent or deleted elsewhere, such as in another tab.",
    link: { label: "Open drafts", href: "/dashboard/drafts" },
  },
}

/** Names of the fields of a mail, for what the service says is wrong. */
const fields: Readonly<Record<string, string>> = {
  to: "Recipients",
  cc: "Copies",
  bcc: "Hidden copies",
  subject: "Subject",
  bodyText: "Text",
  bodyHtml: "Formatted text",
  attachments: "Files",
  replyTo: "Answers go to",
  sendAt: "Time",
}

const issueWords = ({ issues }: MailroomError): string =>
  issues
    .map(({ path, message }) => {
      const name = path.split(".").find((part) => fields[part] !== undefined)
      return `${name === undefined ? path : (fields[name] ?? name)}: ${message}.`
    })
    .join(" ")

/** Addresses that the text of a refusal names: they are what the reader must change. */
const namedIn = (message: string): string => {
  const found = [...new Set(message.match(/[^\s@<>,:;"]+@[^\s@<>,:;"]+\w/g))]
  return found.length === 0 ? "" : ` (${found.join(", ")})`
}

/** A refusal by its code and the text of the service. */
export const refusalWords = (code: string, message: string): RefusalWords => {
  const words = known[code]
  if (words === undefined) return { title: "The mail was not sent", text: message }
  const isAboutRecipient = code.startsWith("RECIPIENT_") || code === "RELAY_REFUSED"
  return isAboutRecipient ? { ...words, title: `${words.title}${namedIn(message)}` } : words
}

/** Why a send failed. */
export const sendErrorWords = (error: unknown): RefusalWords => {
  if (!(error instanceof MailroomError)) return errorWords(error)
  if (error.issues.length > 0) return { title: "The mail is not complete", text: issueWords(error) }
  return known[error.code] === undefined ? errorWords(error) : refusalWords(error.code, error.message)
}
