/** The envelope that a client builds with MAIL and RCPT, up to DATA (RFC 5321 §3.3). */
import { SMTP_RECIPIENTS_MAX } from "@mailroom/domain"
import type { Envelope } from "@mailroom/engine"

export interface MailTransaction {
  /** whether MAIL was accepted */
  readonly hasSender: () => boolean
  /** "" for the null reverse path, and before MAIL. */
  readonly sender: () => string
  /** `sender` is "" for the null reverse path. */
  readonly begin: (sender: string) => void
  /** Whether the recipient was added, compared without case. */
  readonly has: (recipient: string) => boolean
  /** Whether another recipient may be added. */
  readonly hasRoom: () => boolean
  /** Adds a recipient once, in its last spelling. */
  readonly add: (recipient: string) => void
  /** null before there are a sender and a recipient. */
  readonly envelope: () => Pick<Envelope, "from" | "to"> | null
  readonly reset: () => void
}

export const makeMailTransaction = (): MailTransaction => {
  let sender: string | null = null
  /** by address in lower case */
  let recipients = new Map<string, string>()
  return {
    hasSender: () => sender !== null,
    sender: () => sender ?? "",
    begin: (address) => {
      sender = address
    },
    has: (address) => recipients.has(address.toLowerCase()),
    hasRoom: () => recipients.size < SMTP_RECIPIENTS_MAX,
    add: (address) => {
      recipients.set(address.toLowerCase(), address)
    },
    envelope: () =>
      sender === null || recipients.size === 0 ? null : { from: sender, to: [...recipients.values()] },
    reset: () => {
      sender = null
      if (recipients.size > 0) recipients = new Map()
    },
  }
}
