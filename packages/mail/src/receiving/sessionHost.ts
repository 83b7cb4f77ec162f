/** A session as its limits see it, and the receiver as a session sees it. Instants are epoch milliseconds. */
import type { IncomingMail, RecipientVerdict } from "@mailroom/engine"
import type { Exit } from "effect"
import type { SecureContext } from "node:tls"
import type { MessageTransfer, TransferOptions } from "./messageTransfer.js"
import type { ReceivingMemory } from "./receivingMemory.js"
import type { Reply } from "./replies.js"

export interface Session {
  /** an IPv4-mapped address as IPv4 */
  readonly remoteAddress: string
  readonly openedAt: number
  /** when the client last sent something */
  heardAt: number
  /** when the session last brought a recipient, or bytes of a message */
  progressAt: number
  /** the message that is arriving */
  transfer: MessageTransfer | null
  /** the question to the store whose answer the client waits for */
  waiting: { readonly since: number; readonly giveUp: () => void } | null
  /** the reply that is held back */
  delayed: { readonly until: number; readonly release: () => void } | null
  /** when we closed our side */
  endedAt: number | null
  /** Says why, and closes our side. What the client still sends is dropped. */
  readonly end: (reply: Reply) => void
  readonly destroy: () => void
}

/** Answers a question to the store, later. */
export type Answer<A> = (exit: Exit.Exit<A>) => void

/** A recipient or a mail that was refused, for good or for now. */
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
  /** The certificate for handshakes from now on; null without STARTTLS. */
  readonly tls: () => SecureContext | null
  readonly memory: ReceivingMemory
  readonly now: () => number
  readonly openBody: TransferOptions["openBody"]
  readonly judge: (session: Session, address: string, answer: Answer<RecipientVerdict>) => void
  /** Makes a mail durable. Calls `release` when its bytes are not needed any more. */
  readonly accept: (session: Session, mail: IncomingMail, release: () => void, answer: Answer<true>) => void
  /** Counts a recipient that does not exist. Returns how many milliseconds its reply is held back; null ends the session. */
  readonly countUnknown: (session: Session) => number | null
  readonly countAccepted: (session: Session) => void
  /** Writes a log line, and counts the refusal. */
  readonly onRefused: (session: Session, refusal: MailRefusal) => void
  /** The client made an error, or we end the session. For the log of decisions. */
  readonly onComplaint: (session: Session, reply: Reply) => void
  /** Whether another reply may be held back. */
  readonly mayDelay: () => boolean
  readonly onReply: () => void
  /** A transaction is over. */
  readonly onSettled: (session: Session) => void
  readonly onClose: (session: Session) => void
}
