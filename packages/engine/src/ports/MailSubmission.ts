/**
 * Submission, which the SMTP side of mail clients calls: it signs clients in and sends what they submit. A port, although the
 * engine implements it (`submission/submission.ts`), so that the SMTP side can be tested without an engine. Its methods die
 * with `StorageFailure` only.
 */
import type { MailboxId, Principal, SmtpAnswer } from "@mailroom/domain"
import { Context, type Effect, type Either, type Redacted } from "effect"
import type { RawContent } from "./MailSpool.js"

/** A mailbox that has signed in. Its API key is checked again at each mail. */
export interface Submitter {
  readonly mailboxId: MailboxId
  /** full address */
  readonly address: string
  readonly key: Redacted.Redacted
}

/** A mail that a client has begun with MAIL FROM. */
export interface SubmissionTransaction {
  readonly submitter: Submitter
  readonly principal: Principal
}

/** A submitted mail with the recipients of its envelope. */
export interface SubmittedMail {
  /** RCPT TO, as the client wrote them; at least one */
  readonly to: ReadonlyArray<string>
  readonly content: RawContent
}

export class MailSubmission extends Context.Tag("@mailroom/MailSubmission")<
  MailSubmission,
  {
    /**
     * Signs in with the full address of a mailbox and an API key that may use it. The refusal is the same whether the key, the
     * mailbox or its place in the scope of the key is missing.
     */
    readonly signIn: (
      user: string,
      key: Redacted.Redacted,
    ) => Effect.Effect<Either.Either<Submitter, SmtpAnswer>>
    /**
     * MAIL FROM: begins a mail, after the key, its permissions and the state of the account are checked again. `from`: empty
     * for the null return path.
     */
    readonly begin: (
      submitter: Submitter,
      from: string,
    ) => Effect.Effect<Either.Either<SubmissionTransaction, SmtpAnswer>>
    /** RCPT TO: why the mailbox may not write to this address now; null when it may. */
    readonly refusal: (transaction: SubmissionTransaction, to: string) => Effect.Effect<SmtpAnswer | null>
    /**
     * Sends a mail by the rules of `Sending.send`, and removes its content from the blob store. A mail whose Message-ID came
     * from this mailbox for the same recipients in the last 24 hours is not sent again: it gets the reply of the first.
     */
    readonly submit: (transaction: SubmissionTransaction, mail: SubmittedMail) => Effect.Effect<SmtpAnswer>
  }
>() {}
