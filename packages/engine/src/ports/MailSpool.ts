/**
 * The spool, which the SMTP receiver writes to: it judges recipients and stores accepted mail. A port, although the engine
 * implements it (`inbound/spool.ts`), so that the receiver can be tested without an engine.
 */
import type { Instant } from "@mailroom/domain"
import { Context, type Effect, type Stream } from "effect"

/** Decides the reply to RCPT TO. */
export type RecipientVerdict =
  | { readonly kind: "accepted" }
  /** 550 5.1.1 */
  | { readonly kind: "unknown" }
  /** 550 5.7.1: the mailbox refuses this sender (`SenderScreening`) */
  | { readonly kind: "blocked" }
  /** 550 5.2.1 */
  | { readonly kind: "suspended" }
  /** 450 4.2.1 */
  | { readonly kind: "not provisioned" }
  /** 450 4.7.0: a role address of a domain with more than `ROLE_MAIL_PER_HOUR` mails this hour (`RoleAddresses`) */
  | { readonly kind: "busy" }

/** One RCPT TO. */
export interface RecipientRequest {
  /** MAIL FROM; empty for the null return path */
  readonly from: string
  /** RCPT TO */
  readonly to: string
}

/** The SMTP envelope of a mail, and the client that sent it. The envelope of an event is `EventEnvelope`. */
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
  /** when the whole content was there, just before `accept` */
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
    readonly recipients: (
      requests: ReadonlyArray<RecipientRequest>,
    ) => Effect.Effect<ReadonlyArray<RecipientVerdict>>
    /**
     * Streams the raw bytes of a mail into the blob store, for `accept`: a mail that is larger than `INLINE_MAX_BYTES`, or
     * any mail while the receiver's memory is full. Durable when it succeeds. The blob is a draft: a background job removes
     * it when the mail was not accepted, for instance because the process was killed, one to two hours later.
     */
    readonly stage: (content: Stream.Stream<Uint8Array>) => Effect.Effect<RawContent>
    /** Removes the blob of a mail that was not accepted. Not after a failed `accept` that may have been committed. */
    readonly discard: (content: RawContent) => Effect.Effect<void>
    /**
     * Stores and enqueues the mails in one commit. They are durable when it succeeds, and only then may the receiver reply
     * 250. Dies with `StorageFailure`.
     */
    readonly accept: (mails: ReadonlyArray<IncomingMail>) => Effect.Effect<void>
  }
>() {}
