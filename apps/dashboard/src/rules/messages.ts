/** Messages in words: who, what, and how far a sent one came. */
import type { MessageListItem, MessageStatus } from "@mailroom/client"
import type { Tone } from "./trust.js"

type Listed = Pick<
  MessageListItem,
  "bodyText" | "direction" | "extractedText" | "fromAddress" | "fromName" | "subject" | "toAddresses"
>

export const subjectText = (subject: string): string => (subject.trim() === "" ? "(no subject)" : subject)

/** Addresses in a line: two, and how many more. */
export const addressesText = (addresses: ReadonlyArray<string>): string => {
  const rest = addresses.length - 2
  const shown = addresses.slice(0, 2).join(", ")
  return rest > 0 ? `${shown} and ${rest} more` : shown
}

/** Those who write with a mailbox, without the mailboxes of the account; all, when there is nobody else. */
export const othersOf = (
  participants: ReadonlyArray<string>,
  own: ReadonlySet<string>,
): ReadonlyArray<string> => {
  const others = participants.filter((address) => !own.has(address.toLowerCase()))
  return others.length === 0 ? participants : others
}

/** The other side: who wrote a received mail, to whom a sent one went. */
export const correspondent = ({ direction, fromAddress, fromName, toAddresses }: Listed): string =>
  direction === "INBOUND"
    ? (fromName ?? fromAddress)
    : `To ${toAddresses.length === 0 ? "nobody" : addressesText(toAddresses)}`

/** Messages in the order of their thread, oldest first, each once. */
export const inOrder = <Item extends Pick<MessageListItem, "createdAt" | "id">>(
  messages: ReadonlyArray<Item>,
): ReadonlyArray<Item> =>
  [...new Map(messages.map((message) => [message.id, message])).values()].toSorted(
    (one, other) => one.createdAt.localeCompare(other.createdAt) || one.id.localeCompare(other.id),
  )

export interface StatusWords {
  readonly tone: Tone
  readonly label: string
  readonly text: string
}

/** How far a sent message came; null for a received one. */
export const statusWords = (status: MessageStatus): StatusWords | null => {
  switch (status) {
    case "RECEIVED":
      return null
    case "SENDING":
      return { tone: "neutral", label: "Sending", text: "It is on its way out." }
    case "SENT":
      return {
        tone: "neutral",
        label: "Sent",
        text: "The mail server of the recipient has not answered yet.",
      }
    case "DELIVERED":
      return { tone: "good", label: "Delivered", text: "The mail server of the recipient has accepted it." }
    case "BOUNCED":
      return { tone: "bad", label: "Bounced", text: "It could not be delivered." }
    case "COMPLAINED":
      return { tone: "bad", label: "Marked as spam", text: "The recipient has marked it as spam." }
    case "FAILED":
      return { tone: "bad", label: "Not sent", text: "It was refused before it left." }
    case "UNKNOWN":
      return {
        tone: "warn",
        label: "May be sent",
        text: "The connection broke while it was handed over: it may have been sent.",
      }
  }
}
