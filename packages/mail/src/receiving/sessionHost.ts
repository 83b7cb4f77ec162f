/** The interfaces between a session, its limits and the receiver. Instants are epoch milliseconds. */
import type { IncomingMail, RecipientRequest, RecipientVerdict } from "@mailroom/engine"
import type { Exit } from "effect"
import type { SecureContext } from "node:tls"
import type { ReceivingMemory } from "./contentWriter.js"
import type { MessageTransfer, TransferOptions } from "./messageTransfer.js"
import type { Reply } from "./replies.js"

export interface Session {
  /** an IPv4-mapped address as IPv4 */
  readonly remoteAddress: string
  readonly openedAt: number
  /** when the client last sent bytes */
  heardAt: number
  /** when the client last brought a valid recipient, or bytes of a message */
  progressAt: number
  /** the message that is arriving */
  transfer: MessageTransfer | null
  /** the judging of a recipient or the accepting of a mail that the client waits for */
  storageRequest: { readonly since: number; readonly giveUp: () => void } | null
  /** the reply that is delayed */
  delayed: { readonly until: number; readonly release: () => void } | null
  /** when we closed our side */
  endedAt: number | null
  /** Sends the reply and closes our side. Drops what the client sends after that. */
  readonly end: (reply: Reply) => void
  readonly destroy: () => void
}

/** Called once with the result of a storage request. */
export type Answer<A> = (exit: Exit.Exit<A>) => void

/** A recipient or a mail that was refused, permanently or for now. */
export interface MailRefusal {
  readonly reply: Reply
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly helo: string
}

export interface SessionHost {
  readonly greeting: Reply
  /** the replies to HELO, and to EHLO before and after STARTTLS */
  readonly hello: { readonly plain: Reply; readonly extended: Reply; readonly secure: Reply }
  /** The current certificate; null without STARTTLS. */
  readonly tls: () => SecureContext | null
  readonly memory: ReceivingMemory
  readonly now: () => number
  readonly openWriter: TransferOptions["openWriter"]
  /** Decides whether mail from the sender to the recipient is accepted. */
  readonly judge: (session: Session, request: RecipientRequest, answer: Answer<RecipientVerdict>) => void
  /** Makes a mail durable. Calls `release` when its bytes are no longer needed. */
  readonly accept: (session: Session, mail: IncomingMail, release: () => void, answer: Answer<true>) => void
  /** Counts an unknown recipient. Returns the delay of the reply in milliseconds; null: end the session. */
  readonly countUnknown: (session: Session) => number | null
  readonly countAccepted: (session: Session) => void
  /** Writes a log line, and counts the refusal. */
  readonly onRefused: (session: Session, refusal: MailRefusal) => void
  /** Logs a reply to an error of the client, or the 421 that ends the session, at the level `debug`. */
  readonly onErrorReply: (session: Session, reply: Reply) => void
  /** Whether another reply may be delayed. */
  readonly mayDelay: () => boolean
  /** A reply is sent: activity for `groupRequests`. */
  readonly onReply: () => void
  /** A message was refused or lost after its data, without a storage request. */
  readonly onSettled: (session: Session) => void
  readonly onClose: (session: Session) => void
}
