/** How far a conversation can be believed, in words: that of its least trusted received mail. */
import type { MessageListItem, TrustLevel, TrustReason } from "@mailroom/client"
import type { Tone } from "./tone.js"

/** The least trusted first. */
const levels: ReadonlyArray<TrustLevel> = ["suspicious", "unverified", "verified", "known", "owner"]

export interface TrustWords {
  readonly label: string
  readonly tone: Tone
  readonly text: string
}

const words: Readonly<Record<TrustLevel, TrustWords>> = {
  owner: { label: "You", tone: "good", text: "You wrote it yourself; your domain proves it." },
  known: {
    label: "Known sender",
    tone: "good",
    text: "The sender is proven, and this mailbox knows the address.",
  },
  verified: {
    label: "Proven sender",
    tone: "neutral",
    text: "The mail comes from the domain that it names. The mailbox has not written to this address before.",
  },
  unverified: {
    label: "Not proven",
    tone: "warn",
    text: "Nothing proves who sent it. Anybody can write any name into a mail.",
  },
  suspicious: { label: "Suspicious", tone: "bad", text: "Something about this mail is wrong." },
}

const reasons: Readonly<Record<TrustReason, string>> = {
  written_to: "This mailbox wrote to the sender before.",
  allow_listed: "The sender is on an allow list.",
  dmarc_fail: "The domain it names says that it did not send it.",
  display_name_address: "The name shows another address than the mail comes from.",
  lookalike_domain: "The domain looks like one you know, and is another.",
  hidden_text: "It hides text from people, which an agent may read.",
  invisible_characters: "It has invisible characters.",
  text_differs: "Its plain text says something else than what is shown.",
  foreign_reply_to: "Answers to it would go to another domain.",
}

export const trustReasonText = (reason: TrustReason): string => reasons[reason]

type Received = Pick<MessageListItem, "direction" | "trust">

/** The words for the least trusted of the received mails; null when none has a level. */
export const threadTrust = (
  messages: ReadonlyArray<Received>,
): (TrustWords & { readonly reasons: ReadonlyArray<string> }) | null => {
  const found = messages.flatMap(({ direction, trust }) =>
    direction === "INBOUND" && trust !== null ? [trust] : [],
  )
  const level = levels.find((one) => found.some((trust) => trust.level === one))
  if (level === undefined) return null
  const why = found.filter((trust) => trust.level === level).flatMap((trust) => trust.reasons)
  return { ...words[level], reasons: [...new Set(why)].map(trustReasonText) }
}
