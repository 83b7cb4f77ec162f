/**
 * The bodies of a send, a reply and a forward, and the send rules that need no look-up: `admitSend` and `admitSizes`.
 * `packages/engine/src/sending/Sending.ts` has the order of all send rules.
 */
import { Either, Schema, Struct } from "effect"
import { described } from "../described.js"
import type { AccountRecord, AccountState } from "../accounts/Account.js"
import { paymentReason } from "../accounts/state.js"
import {
  AccountSuspended,
  DomainNotVerified,
  EmailNotVerified,
  MailboxNotActive,
  PaymentRequired,
  RecipientNotAllowed,
  SendingIsStopped,
  SendingPaused,
  SizeExceeded,
  TrialRecipientLocked,
} from "../errors.js"
import { AttachmentId, MessageId } from "../ids.js"
import {
  ATTACHMENT_MAX_BYTES,
  ATTACHMENTS_MAX_BYTES,
  ATTACHMENTS_MAX_COUNT,
  RECIPIENTS_MAX_COUNT,
  SCHEDULE_MAX_AHEAD,
  SUBJECT_MAX_LENGTH,
  TRIAL_SENDS,
  UNSUBSCRIBE_RECIPIENTS,
} from "../limits.js"
import type { DomainStatus } from "../domains/Domain.js"
import { addressIn, domainOf, normalizeAddress, onPlatform, Recipient } from "../mailboxes/address.js"
import type { MailboxRecord } from "../mailboxes/Mailbox.js"
import { sendingStopped } from "../reputation/sendingHealth.js"
import { BytesFromBase64 } from "./base64.js"
import { Labels } from "../messages/Message.js"
import { atMostCharacters, oneLine } from "../messages/oneLine.js"
import { isSimulated } from "../simulator/simulator.js"
import { DAY } from "../durations.js"
import { isDateTime } from "../time.js"
import { totalBytes } from "../totalBytes.js"
import { isDisposableDomain, isTestDomain } from "./recipientDomains.js"

export const Subject = Schema.String.pipe(
  Schema.minLength(1),
  atMostCharacters(SUBJECT_MAX_LENGTH),
  oneLine,
).annotations({ identifier: "Subject", description: `1 to ${SUBJECT_MAX_LENGTH} characters on one line` })

/** The id by which the HTML shows an image: `cid:logo`. Angle brackets around it are dropped (RFC 2392). */
const ContentId = Schema.transform(
  Schema.String,
  Schema.String.pipe(
    Schema.pattern(/^[^\s<>\0-\u001f\u007f-\u{10ffff}]{1,255}$/u, {
      message: () => "must have 1 to 255 ASCII characters without spaces and angle brackets",
    }),
  ),
  { decode: (text) => text.replace(/^<(.*)>$/, "$1"), encode: (id) => id },
).annotations({ description: "Content-ID of an inline image, which the HTML shows by `cid:{contentId}`" })

export const InlineAttachment = Schema.Struct({
  filename: described(
    Schema.String.pipe(Schema.minLength(1), atMostCharacters(255), oneLine),
    "name of the file",
  ),
  contentType: described(
    Schema.String.pipe(
      Schema.maxLength(255),
      Schema.pattern(/^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/i, {
        message: () => "must be a MIME type such as text/csv",
      }),
    ),
    "MIME type of the file",
  ),
  contentId: Schema.optional(ContentId),
  content: BytesFromBase64.annotations({
    description: "base64",
    message: () => "must be base64",
  }),
}).annotations({ identifier: "InlineAttachment", description: "A file inside the request body" })

/** Custom headers of a send: only `X-Custom-*`; any other name is refused (spec: decisions.body.headers). */
export const CustomHeaders = Schema.Record({
  key: Schema.String.pipe(
    Schema.pattern(/^x-custom-[a-z0-9-]{1,64}$/i, { description: "a name such as X-Custom-Run" }),
  ),
  value: Schema.String.pipe(atMostCharacters(2000), oneLine),
}).annotations({ parseOptions: { onExcessProperty: "error" } })

const isMessageId = Schema.is(MessageId)
const bareRfcId = /^[^<>\s\0]{1,994}@[^<>\s\0]{1,994}$/

/** The answered message: an id of ours or a Message-ID, to which missing angle brackets are added. */
export const AnsweredId = Schema.transform(
  Schema.String,
  Schema.String.pipe(
    Schema.filter(
      (text) =>
        isMessageId(text) || /^<[^<>\s\0]{1,996}>$/.test(text) || "must be a message id: ours, or <id@host>",
    ),
  ),
  { decode: (text) => (bareRfcId.test(text) ? `<${text}>` : text), encode: (text) => text },
).annotations({
  description: "the answered message: its id here, or its Message-ID with or without angle brackets",
})

/** A time to send at, with its offset. `scheduledAt` checks how far ahead it is. */
export const SendAt = Schema.String.pipe(
  Schema.filter(
    (text) =>
      (isDateTime(text) && /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text)) ||
      "must be a date and time with its offset, such as 2026-03-01T09:30:00Z",
  ),
).annotations({
  description: `when to send it, ISO 8601 with an offset, at most ${SCHEDULE_MAX_AHEAD / DAY} days ahead`,
})

/** The fields of a mail in the body of a send, which a draft has too. */
export const mailFields = {
  to: described(
    Schema.Array(Recipient).pipe(Schema.minItems(1), Schema.maxItems(RECIPIENTS_MAX_COUNT)),
    "recipients, at least one",
  ),
  cc: Schema.optional(Schema.Array(Recipient).pipe(Schema.maxItems(RECIPIENTS_MAX_COUNT))).annotations({
    description: "recipients of copies",
  }),
  bcc: Schema.optional(Schema.Array(Recipient).pipe(Schema.maxItems(RECIPIENTS_MAX_COUNT))).annotations({
    description: "recipients of blind copies",
  }),
  subject: described(Subject, "the subject"),
  bodyText: Schema.optional(Schema.String).annotations({ description: "the text part" }),
  bodyHtml: Schema.optional(Schema.String).annotations({ description: "the HTML part" }),
  inReplyTo: Schema.optional(AnsweredId),
  attachments: Schema.optional(
    Schema.Array(Schema.Union(AttachmentId, InlineAttachment)).pipe(Schema.maxItems(ATTACHMENTS_MAX_COUNT)),
  ).annotations({ description: "ids of uploads, or files as base64" }),
  headers: Schema.optional(CustomHeaders).annotations({
    description: "additional header fields, X-Custom-* only",
  }),
  replyTo: Schema.optional(Recipient).annotations({ description: "address of the Reply-To header" }),
  labels: Schema.optional(Labels).annotations({ description: "labels of the stored message" }),
  bulk: Schema.optional(Schema.Boolean).annotations({
    description:
      "true: each recipient gets a mail of their own, which names no other recipient and has a link to unsubscribe",
  }),
}

/** `sendAt` of a body. */
export const sendAtField = Schema.optional(SendAt).annotations({
  description: `when to send it, ISO 8601 with an offset, at most ${SCHEDULE_MAX_AHEAD / DAY} days ahead; by default now`,
})

const sendFields = { ...mailFields, sendAt: sendAtField }

const withSomeBody = <
  A extends { readonly bodyText?: string | undefined; readonly bodyHtml?: string | undefined },
  I,
>(
  self: Schema.Schema<A, I>,
) =>
  self.pipe(
    Schema.filter(({ bodyText, bodyHtml }) =>
      (bodyText ?? "") !== "" || (bodyHtml ?? "") !== ""
        ? undefined
        : { path: ["bodyText"], message: "bodyText or bodyHtml is required" },
    ),
  )

/** A body needs a text or an HTML part; an id may be the RFC Message-ID or ours. */
export const SendBody = withSomeBody(
  Schema.Struct(sendFields).annotations({
    description: "A message to send: bodyText or bodyHtml is required",
  }),
).annotations({ identifier: "SendBody" })
export type SendBody = typeof SendBody.Type

/** The body of a reply: `to`, `subject` and `inReplyTo` come from the answered message. */
export const ReplyBody = withSomeBody(
  Schema.Struct(Struct.omit(sendFields, "to", "subject", "inReplyTo")).annotations({
    description: "A reply to a message: bodyText or bodyHtml is required",
  }),
).annotations({ identifier: "ReplyBody" })
export type ReplyBody = typeof ReplyBody.Type

/** The body of a forward: `subject` comes from the forwarded message, and a text is optional. */
export const ForwardBody = Schema.Struct(Struct.omit(sendFields, "subject")).annotations({
  identifier: "ForwardBody",
  description: "Recipients of a forward, and an optional comment",
})
export type ForwardBody = typeof ForwardBody.Type

/** Every address of a send, once, normalized, in the order to, cc, bcc. */
export const recipientsOf = (body: Pick<SendBody, "to" | "cc" | "bcc">): ReadonlyArray<string> => [
  ...new Set([...body.to, ...(body.cc ?? []), ...(body.bcc ?? [])].map(addressIn)),
]

/** Whether a mail that is not `bulk` carries List-Unsubscribe (RFC 2369), because it has this many recipients. */
export const hasManyRecipients = (recipients: ReadonlyArray<string>): boolean =>
  recipients.length >= UNSUBSCRIBE_RECIPIENTS

/** The recipient as the body writes it, with its display name. `address`: one of `recipientsOf`. */
export const writtenRecipient = (body: Pick<SendBody, "to" | "cc" | "bcc">, address: string): string =>
  [...body.to, ...(body.cc ?? []), ...(body.bcc ?? [])].find((text) => addressIn(text) === address) ?? address

/** What `admitSend` reads of the account and the mailbox that send. */
export interface SenderState {
  readonly account: Pick<
    AccountRecord,
    "email" | "emailVerifiedAt" | "trialSends" | "lapsed" | "suspendedReason" | "sendingPaused"
  >
  readonly state: AccountState
  readonly mailbox: Pick<MailboxRecord, "status" | "fullAddress" | "sendingStoppedAt" | "sendingStopReason">
  /** of the mailbox's custom domain; null on the platform domain */
  readonly domainStatus: DomainStatus | null
  readonly platformDomain: string
}

/** The errors of `admitSend`. A send can fail with further errors (`Sending.send`). */
export type SendRefusal =
  | AccountSuspended
  | SendingPaused
  | MailboxNotActive
  | SendingIsStopped
  | DomainNotVerified
  | EmailNotVerified
  | TrialRecipientLocked
  | PaymentRequired
  | RecipientNotAllowed

/**
 * Checks, in this order: account not suspended, sending not paused, mailbox ACTIVE and its sending not stopped, custom domain
 * VERIFIED, owner verified, payment, recipients and sends of the trial, test and disposable domains. Returns the first
 * refusal.
 *
 * A send runs it twice, before the mail is composed and with the account locked. The access rule has checked the account's
 * state already; it is checked here again because a concurrent request may have used the last send of the trial, or the
 * operator may have suspended the account.
 */
export const admitSend = (
  sender: SenderState,
  recipients: ReadonlyArray<string>,
): Either.Either<void, SendRefusal> => {
  const { account, mailbox, state } = sender
  const owner = normalizeAddress(account.email)
  const isOwner = (address: string) => normalizeAddress(address) === owner
  if (state === "suspended") return Either.left(new AccountSuspended({ reason: account.suspendedReason }))
  if (account.sendingPaused) return Either.left(new SendingPaused())
  if (mailbox.status !== "ACTIVE")
    return Either.left(new MailboxNotActive({ address: mailbox.fullAddress, status: mailbox.status }))
  const stopped = sendingStopped(mailbox)
  if (stopped !== null)
    return Either.left(new SendingIsStopped({ address: mailbox.fullAddress, reason: stopped.reason }))
  // Mail from an unverified domain would fail DKIM and DMARC.
  if (sender.domainStatus !== null && sender.domainStatus !== "VERIFIED")
    return Either.left(new DomainNotVerified({ domain: domainOf(mailbox.fullAddress) }))
  if (account.emailVerifiedAt === null) return Either.left(new EmailNotVerified())
  if (state === "payment_required")
    return Either.left(new PaymentRequired({ reason: paymentReason(account) }))
  if (state === "trial") {
    // The simulator is exempt: its addresses reach nobody.
    if (!recipients.every((address) => isOwner(address) || isSimulated(address, sender.platformDomain)))
      return Either.left(new TrialRecipientLocked({ allowed: account.email }))
    if (account.trialSends >= TRIAL_SENDS)
      return Either.left(new PaymentRequired({ reason: paymentReason(account) }))
  }
  for (const address of recipients) {
    // Platform addresses and the owner are exempt from test and disposable domains.
    if (isOwner(address) || onPlatform(address, sender.platformDomain)) continue
    if (isTestDomain(address)) return Either.left(new RecipientNotAllowed({ address, reason: "test domain" }))
    if (isDisposableDomain(address))
      return Either.left(new RecipientNotAllowed({ address, reason: "disposable address" }))
  }
  return Either.void
}

/** `SizeExceeded` for one attachment, or all together, above 25 MB. */
export const admitSizes = (
  attachments: ReadonlyArray<{ readonly filename: string; readonly sizeBytes: number }>,
): Either.Either<void, SizeExceeded> => {
  const large = attachments.find((attachment) => attachment.sizeBytes > ATTACHMENT_MAX_BYTES)
  if (large !== undefined)
    return Either.left(
      new SizeExceeded({ what: `attachment ${large.filename}`, limitBytes: ATTACHMENT_MAX_BYTES }),
    )
  return totalBytes(attachments) > ATTACHMENTS_MAX_BYTES
    ? Either.left(new SizeExceeded({ what: "all attachments together", limitBytes: ATTACHMENTS_MAX_BYTES }))
    : Either.void
}
