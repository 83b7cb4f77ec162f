/** The policies of a mailbox in words. */
import type { Mailbox, OnBlocked, OutboundPolicy, QuarantineTrigger, ReceivePolicy } from "@mailroom/client"
import type { Tone } from "./trust.js"

export const outboundPolicies: ReadonlyArray<{ readonly value: OutboundPolicy; readonly label: string }> = [
  { value: "open", label: "Send at once" },
  { value: "review_new", label: "Ask me before the first mail to somebody" },
  { value: "review", label: "Ask me before every mail" },
]

export const receivePolicies: ReadonlyArray<{ readonly value: ReceivePolicy; readonly label: string }> = [
  { value: "open", label: "Everybody" },
  { value: "allowlisted", label: "Only you and senders on its allow list" },
]

export const blockedActions: ReadonlyArray<{ readonly value: OnBlocked; readonly label: string }> = [
  { value: "quarantine", label: "Keep it in quarantine" },
  { value: "refuse", label: "Refuse it: the sender is told" },
]

export const quarantineTriggers: ReadonlyArray<{
  readonly value: QuarantineTrigger
  readonly label: string
  readonly hint: string
}> = [
  {
    value: "suspicious",
    label: "Suspicious mail",
    hint: "A forged sender, hidden text, or a domain that looks like another.",
  },
  {
    value: "unverified",
    label: "Mail whose sender is not proven",
    hint: "Anybody can write such an address.",
  },
  { value: "spam", label: "Spam", hint: "By the spam filter of the operator." },
]

/** Hours in which a review has to be decided. */
export const reviewHours: ReadonlyArray<{ readonly value: string; readonly label: string }> = [
  { value: "4", label: "4 hours" },
  { value: "24", label: "1 day" },
  { value: "72", label: "3 days" },
  { value: "168", label: "7 days" },
]

/** The choices with one of the mailbox's own, when it is another. */
export const reviewHoursWith = (hours: number): typeof reviewHours =>
  reviewHours.some(({ value }) => value === String(hours))
    ? reviewHours
    : [...reviewHours, { value: String(hours), label: `${hours} hours` }]

export interface MailboxState {
  readonly tone: Tone
  readonly label: string
  readonly text: string
}

/** What a mailbox does now, and why it does less than it could. */
export const mailboxState = (mailbox: Mailbox): MailboxState => {
  if (mailbox.status === "suspended")
    return {
      tone: "bad",
      label: "Suspended",
      text: mailbox.suspendedReason ?? "The operator of this service has stopped it.",
    }
  if (mailbox.sendingStopped !== null)
    return {
      tone: "bad",
      label: "Sending stopped",
      text:
        mailbox.sendingStopped.reason === "BOUNCES"
          ? "Too many of its mails could not be delivered. It still receives."
          : "Too many recipients marked its mails as spam. It still receives.",
    }
  if (mailbox.pausedByBilling)
    return {
      tone: "warn",
      label: "Paused",
      text: "Your plan has no room for this mailbox. It receives, and does not send.",
    }
  if (mailbox.status === "paused")
    return { tone: "warn", label: "Paused", text: "It receives, and does not send." }
  if (!mailbox.mailServerProvisioned)
    return { tone: "neutral", label: "Starting", text: "It receives in a few seconds." }
  return { tone: "good", label: "Active", text: "It receives and sends." }
}

/** What the owner decided for a mailbox, in a few words; empty when nothing. */
export const policyWords = ({ outboundPolicy, receivePolicy }: Mailbox): string =>
  [
    outboundPolicy === "review" ? "You approve every send" : "",
    outboundPolicy === "review_new" ? "You approve new recipients" : "",
    receivePolicy === "allowlisted" ? "allowed senders only" : "",
  ]
    .filter((words) => words !== "")
    .join(", ")
