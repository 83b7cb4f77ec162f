/**
 * What an SMTP receiver needs of the engine: whether a recipient exists, and a durable place for a mail.
 * Declared as a port so that the receiver can be tested without an engine.
 */
import type { Instant } from "@mailroom/domain"
import { Context, type Effect, type Stream } from "effect"

export type RecipientVerdict =
  | { readonly kind: "accepted" }
  /** 550 5.1.1 */
  | { readonly kind: "unknown" }
  /** 550 5.2.1 */
  | { readonly kind: "suspended" }
  /** 450 4.2.1 */
  | { readonly kind: "not provisioned" }
  /** 450 4.7.0: too much mail for this address now */
  | { readonly kind: "busy" }

export interface Envelope {
  /** MAIL FROM; empty for the null return path */
  readonly from: string
  /** RCPT TO, as given; each was judged `accepted` */
  readonly to: ReadonlyArray<string>
  readonly remoteAddress: string
  /** the name the client greeted with */
  readonly helo: string
  /** whether the session was encrypted */
  readonly tls: boolean
  readonly receivedAt: Instant
}

/** Raw bytes on their way in: whole while small, staged in the blob store when large. */
export type RawContent =
  | { readonly kind: "inline"; readonly bytes: Uint8Array }
  | { readonly kind: "blob"; readonly key: string; readonly sizeBytes: number }

export interface IncomingMail {
  readonly envelope: Envelope
  readonly content: RawContent
}

export class MailSpool extends Context.Tag("@mailroom/MailSpool")<
  MailSpool,
  {
    /** Judged at RCPT TO (decisions §6), in their order. Dies with `StorageFailure` when the store is lost. */
    readonly recipients: (addresses: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<RecipientVerdict>>
    /**
     * Puts a mail too large to hold in memory into the blob store, where `accept` finds it. Durable when it succeeds. When
     * the mail is not accepted within an hour, for instance because the process is killed, the blob is removed.
     */
    readonly stage: (content: Stream.Stream<Uint8Array>) => Effect.Effect<RawContent>
    /** Forgets what was staged for a mail that was refused after all. */
    readonly discard: (content: RawContent) => Effect.Effect<void>
    /**
     * One commit for all: when this succeeds the mails are durable, and only then may the 250 be said. Dies with
     * `StorageFailure`.
     */
    readonly accept: (mails: ReadonlyArray<IncomingMail>) => Effect.Effect<void>
  }
>() {}
