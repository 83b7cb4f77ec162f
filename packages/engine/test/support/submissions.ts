/** Mails that a client submits by SMTP, at the port between the SMTP side and the engine. */
import { MailSubmission, type Submitter } from "@mailroom/engine"
import { type SmtpAnswer } from "@mailroom/domain"
import { Effect, Either, Redacted } from "effect"
import type { Owner } from "./owners.js"
import { RECIPIENT } from "./sends.js"

/** A mail of these header lines and this body, with CRLF line ends. */
export const mailText = (header: ReadonlyArray<string>, body = "Good morning.\r\n"): string =>
  [...header, "", body].join("\r\n")

/** A small mail from the owner's mailbox. */
export const aMail = (owner: Pick<Owner, "address">, header: ReadonlyArray<string> = []): string =>
  mailText([`From: Agent <${owner.address}>`, `To: ${RECIPIENT}`, "Subject: Hello", ...header])

export const textOf = ({ code, enhanced, text }: SmtpAnswer): string => `${code} ${enhanced} ${text}`

const answerOr = <A>(result: Either.Either<A, SmtpAnswer>): Either.Either<A, string> =>
  Either.mapLeft(result, textOf)

/** Signs in with the owner's key. Fails with the reply. */
export const signIn = (owner: Pick<Owner, "address" | "key">) =>
  Effect.gen(function* () {
    const submission = yield* MailSubmission
    return yield* answerOr(yield* submission.signIn(owner.address, Redacted.make(owner.key)))
  })

/** Begins a mail. Fails with the reply to MAIL FROM. */
export const begin = (submitter: Submitter, from = submitter.address) =>
  Effect.gen(function* () {
    const submission = yield* MailSubmission
    return yield* answerOr(yield* submission.begin(submitter, from))
  })

/** The reply to a recipient; null when it is accepted. */
export const toRecipient = (owner: Owner, to: string) =>
  Effect.gen(function* () {
    const submission = yield* MailSubmission
    const refusal = yield* submission.refusal(yield* begin(yield* signIn(owner)), to)
    return refusal === null ? null : textOf(refusal)
  })

/** Submits a mail, and returns the reply to it. The recipients are not asked for before. */
export const submit = (
  owner: Owner,
  mail: string | Uint8Array = aMail(owner),
  to: ReadonlyArray<string> = [RECIPIENT],
) =>
  Effect.gen(function* () {
    const submission = yield* MailSubmission
    const transaction = yield* begin(yield* signIn(owner))
    const bytes = typeof mail === "string" ? Buffer.from(mail, "latin1") : mail
    return textOf(yield* submission.submit(transaction, { to, content: { kind: "inline", bytes } }))
  })

/** The id in the reply to a mail that was sent or held. */
export const idIn = (reply: string): string => reply.slice(reply.lastIndexOf(" ") + 1)
