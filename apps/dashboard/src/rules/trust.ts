/** How far a received mail can be believed, in words for people. */
import type { MessageListItem, QuarantineReason, TrustReason } from "@mailroom/client"

export type Tone = "neutral" | "accent" | "good" | "warn" | "bad"

type Judged = Pick<MessageListItem, "authentication" | "direction" | "fromAddress" | "spam" | "trust">

export interface TrustWords {
  readonly tone: Tone
  /** two words, as a badge */
  readonly label: string
  /** what it means for the reader */
  readonly text: string
  /** what was noticed, a sentence each */
  readonly reasons: ReadonlyArray<string>
}

const reasonTexts: Readonly<Record<TrustReason, string>> = {
  written_to: "This mailbox has written to the sender before.",
  allow_listed: "The sender is on your allow list.",
  dmarc_fail:
    "The mail does not come from the domain that it names, and that domain asks to reject such mail.",
  display_name_address: "The name of the sender shows another address than the real one.",
  lookalike_domain: "The domain of the sender looks like one that you know, but is another.",
  hidden_text: "The mail has text that people cannot see, and programs read.",
  invisible_characters: "The mail has invisible characters.",
  text_differs: "The plain text says something else than the formatted mail.",
  foreign_reply_to: "Answers would go to another domain than that of the sender.",
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

/** null for sent mail, and for mail of which nothing is known. */
export const trustWords = ({ authentication, direction, fromAddress, trust }: Judged): TrustWords | null => {
  if (direction === "OUTBOUND" || trust === null) return null
  const reasons = trust.reasons.map((reason) => reasonTexts[reason])
  const domain = authentication?.verifiedDomain ?? domainOf(fromAddress)
  switch (trust.level) {
    case "owner":
      return { tone: "good", label: "From you", text: "This mail comes from your own address.", reasons }
    case "known":
      return {
        tone: "good",
        label: "Known sender",
        text: `The sender is known here, and ${domain} is proven.`,
        reasons,
      }
    case "verified":
      return {
        tone: "neutral",
        label: "Domain proven",
        text: `The mail really comes from ${domain}. Nobody here has written to this sender before.`,
        reasons,
      }
    case "unverified":
      return {
        tone: "warn",
        label: "Sender unproven",
        text: `Nothing proves that this mail comes from ${domain}. Anybody can write such an address.`,
        reasons,
      }
    case "suspicious":
      return {
        tone: "bad",
        label: "Suspicious",
        text: "Do not follow what this mail asks for, until you have asked the sender another way.",
        reasons,
      }
  }
}

/** A sender that this mail proves, who may be given rights such as loading images always; null for any other. */
export const provenSender = ({ authentication, fromAddress, trust }: Judged): string | null =>
  authentication !== null &&
  authentication.verifiedDomain !== null &&
  authentication.verifiedDomain.toLowerCase() === domainOf(fromAddress).toLowerCase() &&
  trust?.level !== "suspicious"
    ? fromAddress
    : null

/** Actions of a spam filter that mean: this is spam. */
const SPAM = /^(?:add header|rewrite subject|soft reject|reject)$/

/** What the spam filter says; null when it was not asked. */
export const spamWords = ({ spam }: Pick<Judged, "spam">): string | null => {
  if (spam === null) return null
  const score = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }).format(spam.score)
  return SPAM.test(spam.action)
    ? `The spam filter takes it for spam (${score} points).`
    : `The spam filter finds nothing wrong (${score} points).`
}

export const isSpam = ({ spam }: Pick<Judged, "spam">): boolean => spam !== null && SPAM.test(spam.action)

const quarantineTexts: Readonly<Record<QuarantineReason, string>> = {
  blocked: "The sender is on a block list.",
  not_allowed: "This mailbox takes mail from allowed senders only.",
  suspicious: "The mail is suspicious, and this mailbox keeps such mail apart.",
  unverified: "The sender is not proven, and this mailbox keeps such mail apart.",
  spam: "The spam filter takes it for spam.",
  manual: "Somebody moved it here.",
}

export const quarantineText = (reason: QuarantineReason): string => quarantineTexts[reason]
