/**
 * The spool, which the SMTP receiver writes to: it checks recipients and stores accepted mail. A port, although the engine
 * implements it, so that the receiver can be tested without an engine.
 */
import type { Instant } from "@mailroom/domain"
import { Context, type Effect, type Stream } from "effect"

/** The reply to RCPT TO. */
export type RecipientVerdict =
  | { readonly kind: "accepted" }
  /** 550 5.1.1 */
  | { readonly kind: "unknown" }
  /** 550 5.2.1 */
  | { readonly kind: "suspended" }
  /** 450 4.2.1 */
  | { readonly kind: "not provisioned" }
  /** 450 4.7.0: the address is over its accept rate */
  | { readonly kind: "busy" }

export interface Envelope {
  /** MAIL FROM; empty for the null return path */
  readonly from: string
  /** RCPT TO, as the client wrote them; all had the verdict `accepted` */
  readonly to: ReadonlyArray<string>
  readonly remoteAddress: string
  /** the name in EHLO or HELO */
  readonly helo: string
  /** whether the session used TLS */
  readonly tls: boolean
  readonly receivedAt: Instant
}

/** Raw bytes of a mail: inline when small, in the blob store when large. */
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
    /** The verdicts on recipients, in their order (`spec: decisions.smtp.unknown`). Dies with `StorageFailure`. */
    readonly recipients: (addresses: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<RecipientVerdict>>
    /**
     * Streams a mail that is too large for memory into the blob store, for `accept`. Durable when it succeeds. The blob is
     * removed if the mail is not accepted within an hour, for instance because the process was killed.
     */
    readonly stage: (content: Stream.Stream<Uint8Array>) => Effect.Effect<RawContent>
    /** Removes the staged bytes of a mail that was refused after its data. */
    readonly discard: (content: RawContent) => Effect.Effect<void>
    /**
     * Stores and enqueues the mails in one commit. They are durable when it succeeds, and only then may the receiver reply
     * 250. Dies with `StorageFailure`.
     */
    readonly accept: (mails: ReadonlyArray<IncomingMail>) => Effect.Effect<void>
  }
>() {}
