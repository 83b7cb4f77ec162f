/** The interfaces between a session, its limits and the receiver. Instants are epoch milliseconds. */
import type { IncomingMail, RecipientRequest, RecipientVerdict } from "@mailroom/engine"
import type { Exit } from "effect"
import type { SecureContext } from "node:tls"
import type { Credentials } from "../submission/authExchange.js"
import type { ReceivingMemory } from "./contentWriter.js"
import type { LargeReads } from "./largeReads.js"
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

/** The verdict on a recipient; or its refusal, where submission says why. */
export type Judgement = RecipientVerdict | { readonly kind: "refused"; readonly reply: Reply }

/** How clients sign in (RFC 4954). */
export interface SignIn {
  /** Whether the client may send its password over this connection. */
  readonly isAllowed: (session: Session, isSecure: boolean) => boolean
  /** Answers null, or why the client is not signed in. */
  readonly signIn: (session: Session, credentials: Credentials, answer: Answer<Reply | null>) => void
  /** MAIL FROM of a client that has signed in. Answers null, or why it may not send. */
  readonly begin: (session: Session, from: string, answer: Answer<Reply | null>) => void
}

/** A recipient or a mail that was refused, permanently or for now. */
export interface MailRefusal {
  readonly reply: Reply
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly helo: string
}

export interface SessionHost {
  readonly greeting: Reply
  /** the reply to HELO */
  readonly plainHello: Reply
  /** The reply to EHLO. */
  readonly hello: (session: Session, isSecure: boolean) => Reply
  /** The current certificate; null without TLS. */
  readonly tls: () => SecureContext | null
  /** whether a connection begins with the TLS handshake (RFC 8314 §3.3) */
  readonly isTlsFirst: boolean
  /** null: nobody signs in, as at an MX host */
  readonly signIn: SignIn | null
  readonly memory: ReceivingMemory
  readonly largeReads: LargeReads
  readonly now: () => number
  readonly openWriter: TransferOptions["openWriter"]
  /** Decides whether mail from the sender to the recipient is accepted. */
  readonly judge: (session: Session, request: RecipientRequest, answer: Answer<Judgement>) => void
  /** Takes a mail over, and answers with the reply to it. Calls `release` when its bytes are no longer needed. */
  readonly accept: (session: Session, mail: IncomingMail, release: () => void, answer: Answer<Reply>) => void
  /**
   * Counts an unknown recipient or wrong credentials. Returns the delay of the reply in milliseconds; null: end the session.
   */
  readonly countGuess: (session: Session) => number | null
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
