/** `MailSubmission`: signs mail clients in, and makes sends of what they submit (docs/decisions/0073). */
import {
  admitCaller,
  answerTo,
  ATTACHMENTS_MAX_COUNT,
  badRecipientAddress,
  callerOf,
  foreignSender,
  type InlineAttachment,
  inScope,
  isEmailAddress,
  isRefusal,
  type MailboxId,
  mailFault,
  type MailroomError,
  normalizeAddress,
  NotFound,
  type ParsedMail,
  type Principal,
  queuedForReview,
  recipientsOf,
  type SendBody,
  sentAs,
  SUBMISSIONS_AT_ONCE_BYTES,
  type SmtpAnswer,
  submittedBody,
  submittedContent,
  Unauthenticated,
} from "@mailroom/domain"
import { Effect, Either, Layer, Redacted } from "effect"
import { bytesIn } from "../attachments/content.js"
import { Authentication } from "../auth/Authentication.js"
import { CredentialWatch } from "../auth/CredentialWatch.js"
import { Idempotency, type StoredAnswer } from "../idempotency/Idempotency.js"
import { readRaw, sizeOf } from "../inbound/rawContent.js"
import { Blobs } from "../ports/Blobs.js"
import { makeMemoryBudget } from "../memoryBudget.js"
import { MailSpool, type RawContent } from "../ports/MailSpool.js"
import { MailSubmission, type Submitter, type SubmittedMail } from "../ports/MailSubmission.js"
import { CallerParser } from "../parsing/CallerParser.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { Sending, type SendResult } from "../sending/Sending.js"
import { type Submitted, submittedOf } from "./submitted.js"

/** Bytes of one part of the memory for large submitted mails. */
const PART_BYTES = 1024 * 1024

const answerOf = (result: SendResult): SmtpAnswer =>
  result.kind === "sent" ? sentAs(result.message.content.id) : queuedForReview(result.draft.id)

/** A reply, as the idempotency guard stores it. */
const stored = ({ code, enhanced, text }: SmtpAnswer): StoredAnswer => ({
  status: code,
  headers: { enhanced },
  body: text,
})
const restored = ({ status, headers, body }: StoredAnswer): SmtpAnswer => ({
  code: status,
  enhanced: headers["enhanced"] ?? "2.0.0",
  text: body,
})

/** The files of a mail, as a send has them. */
const filesIn = (raw: Uint8Array, mail: ParsedMail): ReadonlyArray<typeof InlineAttachment.Type> =>
  mail.attachments.map(({ filename, contentType, contentId, content }) => ({
    filename,
    contentType,
    ...(contentId !== null && { contentId }),
    content: bytesIn(raw, content),
  }))

const tooManyFiles: SmtpAnswer = {
  code: 552,
  enhanced: "5.3.4",
  text: `A mail has up to ${ATTACHMENTS_MAX_COUNT} attachments. Send fewer`,
}

export const mailSubmissionLayer = Layer.effect(
  MailSubmission,
  Effect.gen(function* () {
    const authentication = yield* Authentication
    const credentials = yield* CredentialWatch
    const blobs = yield* Blobs
    const idempotency = yield* Idempotency
    const mailboxes = yield* MailboxStore
    const parser = yield* CallerParser
    const sending = yield* Sending
    const spool = yield* MailSpool
    const duringBudget = makeMemoryBudget(SUBMISSIONS_AT_ONCE_BYTES, PART_BYTES)

    const wrongCredentials = new Unauthenticated({ reason: "invalid key" })

    /** The mailbox with this address that the caller may use. */
    const mailboxOf = Effect.fnUntraced(function* ({ account, scope }: Principal, address: string) {
      const [mailbox] = yield* mailboxes.byAddresses([address])
      const isUsable = mailbox?.accountId === account.id && inScope(scope, mailbox.id)
      return mailbox !== undefined && isUsable ? mailbox : yield* wrongCredentials
    })

    const signIn = Effect.fnUntraced(function* (user: string, key: Redacted.Redacted) {
      const principal = yield* authentication.byKey(Redacted.value(key))
      const { id, fullAddress } = yield* mailboxOf(principal, normalizeAddress(user))
      return { mailboxId: id, address: fullAddress, key } satisfies Submitter
    })

    const begin = Effect.fnUntraced(function* (submitter: Submitter) {
      const principal = yield* authentication.byKey(Redacted.value(submitter.key))
      if (!inScope(principal.scope, submitter.mailboxId)) return yield* new NotFound({ resource: "mailbox" })
      yield* admitCaller("mail", ["send"], callerOf(principal))
      return { submitter, principal }
    })

    /**
     * Waits until there is memory for a mail in the blob store. A mail in memory does not wait: the receiver counts it
     * already, and small mails must not wait for the large ones of another account.
     */
    const withMemory = (
      { account }: Principal,
      content: RawContent,
      work: Effect.Effect<SmtpAnswer, MailroomError>,
    ) => (content.kind === "inline" ? work : duringBudget(account.id, sizeOf(content), work))

    /** The failure of a use case as its reply. */
    const refused = (error: MailroomError): SmtpAnswer => answerTo(error, false)

    const sendOnce = Effect.fnUntraced(function* (
      principal: Principal,
      mailboxId: MailboxId,
      body: SendBody,
      submitted: Submitted,
    ) {
      const { messageId } = submitted
      const send = sending
        .sendSubmitted(principal, mailboxId, body, submitted)
        .pipe(
          Effect.match({ onSuccess: answerOf, onFailure: (error) => answerTo(error, messageId !== null) }),
        )
      if (messageId === null) return yield* send
      const recipients = [...recipientsOf(body)].sort()
      return yield* idempotency
        .once(
          principal,
          {
            key: messageId,
            route: `submission ${mailboxId} ${recipients.join(" ")}`,
            body: submittedContent(body),
            anyCredential: true,
          },
          // A refusal is not stored: its reason may end, and the client sends the same mail again.
          Effect.map(send, (answer) => ({ answer: stored(answer), final: !isRefusal(answer) })),
          (result) => Effect.succeed(stored(answerOf(result))),
        )
        .pipe(
          Effect.flatMap(({ answer }) => Effect.map(answer, restored)),
          Effect.catchAll((error) => Effect.succeed(answerTo(error, true))),
        )
    })

    const submit = Effect.fn("MailSubmission.submit")(function* (
      { mailboxId, address }: Submitter,
      principal: Principal,
      { to, content }: SubmittedMail,
    ) {
      const raw = yield* readRaw(blobs, content)
      const mail = yield* parser.parse(principal.account.id, raw)
      const fault =
        mailFault(raw, mail, address) ??
        (mail.attachments.length > ATTACHMENTS_MAX_COUNT ? tooManyFiles : null)
      if (fault !== null) return fault
      const submitted = submittedOf(raw, mail)
      const body = submittedBody(mail, submitted, to, filesIn(raw, mail))
      // A transaction may be open for an hour.
      yield* credentials.confirm(principal)
      return yield* sendOnce(principal, mailboxId, body, submitted)
    })

    return MailSubmission.of({
      signIn: (user, key) => Effect.either(Effect.mapError(signIn(user, key), refused)),
      begin: (submitter, from) =>
        from !== "" && normalizeAddress(from) !== submitter.address
          ? Effect.succeed(Either.left(foreignSender(submitter.address)))
          : Effect.either(Effect.mapError(begin(submitter), refused)),
      refusal: ({ submitter, principal }, to) =>
        isEmailAddress(to)
          ? sending
              .admit(principal, submitter.mailboxId, [normalizeAddress(to)])
              .pipe(Effect.match({ onFailure: refused, onSuccess: () => null }))
          : Effect.succeed(badRecipientAddress),
      submit: ({ submitter, principal }, mail) =>
        withMemory(principal, mail.content, submit(submitter, principal, mail)).pipe(
          Effect.catchAll((error) => Effect.succeed(refused(error))),
          Effect.ensuring(spool.discard(mail.content)),
        ),
    })
  }),
)
