/** Rules for mail that a client imports: old mail that did not arrive here (docs/decisions/0076). */
import { Either } from "effect"
import { nextTurn } from "../inbound/turns.js"
import { IMPORTS_AHEAD_MAX } from "../limits.js"
import { mailboxAddress } from "../mailboxes/address.js"
import { RateLimited } from "../errors.js"
import { SECOND } from "../durations.js"
import type { Instant } from "../time.js"
import { isAutomated } from "./automated.js"
import { type Arrival, inboundContent } from "./inbound.js"
import { mailDate } from "./mailDate.js"
import type { Direction, HeaderMap, MessageContent } from "./Message.js"
import type { ParsedContent } from "./ParsedMail.js"

/** OUTBOUND for a mail whose From is the mailbox, with or without a tag; else INBOUND. */
export const importedDirection = ({ from }: Pick<ParsedContent, "from">, mailbox: string): Direction =>
  from !== null && mailboxAddress(from.address) === mailbox ? "OUTBOUND" : "INBOUND"

const firstOf = (headers: HeaderMap, name: string): string => [headers[name] ?? ""].flat()[0] ?? ""

/**
 * When a mail was received or sent: the date of its topmost Received field, which the last server added, else its Date, else
 * `now`. Never later than `now`.
 */
export const importedTime = (headers: HeaderMap, now: Instant): Instant => {
  // RFC 5321 §4.4: the date-time follows the last semicolon.
  const [, received = ""] = /;([^;]*)$/.exec(firstOf(headers, "received")) ?? []
  return Math.min(mailDate(received) ?? mailDate(firstOf(headers, "date")) ?? now, now)
}

/** The envelope sender that the last server wrote down (RFC 5321 §4.4): empty for the null return path; null: none did. */
const returnPath = (headers: HeaderMap): string | null => {
  const field = firstOf(headers, "return-path").trim()
  return field === "" ? null : field.replace(/^<|>$/g, "").trim()
}

export interface ImportedMail extends Pick<
  Arrival,
  "id" | "mailboxId" | "parsed" | "fallbackMessageId" | "attachments" | "dropped" | "trust"
> {
  readonly direction: Direction
  /** full address of the mailbox */
  readonly mailbox: string
  /** when it was received or sent */
  readonly at: Instant
}

/**
 * The message of an imported mail. Nothing is known about how it came: it has no authentication results. `deliveredTo` is the
 * address of the mailbox as To or Cc has it; null without one.
 */
export const importedContent = ({ direction, mailbox, at, ...mail }: ImportedMail): MessageContent => {
  const recipients = [...mail.parsed.to, ...mail.parsed.cc].map(({ address }) => address)
  const content: MessageContent = {
    ...inboundContent({
      ...mail,
      envelopeFrom: "",
      deliveredTo: mailbox,
      receivedAt: at,
      createdAt: at,
      authentication: { spf: "none", dkim: "none", dmarc: "none", verifiedDomain: null },
      spam: null,
    }),
    deliveredTo: recipients.find((address) => mailboxAddress(address) === mailbox) ?? null,
    automated: isAutomated(mail.parsed.headers, returnPath(mail.parsed.headers)),
    authentication: null,
  }
  return direction === "INBOUND"
    ? content
    : {
        ...content,
        direction,
        deliveredTo: null,
        receivedAt: null,
        extractedText: null,
        codes: [],
        links: [],
        calendar: null,
        trust: null,
      }
}

/**
 * Admits an import to the share of its account, which is that of received mail (`nextTurn`): 50 mails and 10 MB a second. An
 * account may be `IMPORTS_AHEAD_MAX` ahead of its share. `from`: what the last admitted import of the account returned, 0 before
 * the first. Returns the time at which the share has caught up.
 */
export const admitImport = (
  from: Instant,
  now: Instant,
  sizeBytes: number,
): Either.Either<Instant, RateLimited> => {
  const { at, nextFrom } = nextTurn(from, now, sizeBytes)
  const ahead = at - now
  return ahead > IMPORTS_AHEAD_MAX
    ? Either.left(
        new RateLimited({ what: "import", retryAfter: Math.ceil((ahead - IMPORTS_AHEAD_MAX) / SECOND) }),
      )
    : Either.right(nextFrom)
}
