/** Records to start from, and how these tests read a refusal. */
import {
  AccountId,
  type AccountRecord,
  AttachmentId,
  defaultPolicies,
  DomainId,
  type DomainRecord,
  MailboxId,
  type MailboxRecord,
  type MessageContent,
  MessageId,
  newAccount,
  noCount,
  ThreadId,
} from "@mailroom/domain"
import { Either, Schema } from "effect"

/** A different UUID for every number, in the order of the numbers. */
export const uuid = (n: number): string => `01900000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`

export const accountId = AccountId.make(uuid(1))
export const mailboxId = MailboxId.make(uuid(2))
export const messageId = MessageId.make(uuid(3))
export const attachmentId = AttachmentId.make(uuid(4))
export const threadId = (n: number): ThreadId => ThreadId.make(uuid(n))

/** Epoch milliseconds of an ISO time. */
export const at = (iso: string): number => Date.parse(iso)

export const signedUp = at("2026-03-01T09:30:00.000Z")

export const account = (facts: Partial<AccountRecord> = {}): AccountRecord => ({
  ...newAccount({
    id: accountId,
    email: "owner@acme.dev",
    name: null,
    slug: "acme",
    passwordHash: "hash",
    intentPlan: null,
    intentPeriod: null,
    createdAt: signedUp,
  }),
  ...facts,
})

export const mailbox = (facts: Partial<MailboxRecord> = {}): MailboxRecord => ({
  id: mailboxId,
  accountId,
  domainId: null,
  localPart: "agent",
  fullAddress: "agent@acme.mailroom.localhost",
  displayName: null,
  status: "ACTIVE",
  pausedByBilling: false,
  suspendedReason: null,
  provisioned: true,
  sentDay: noCount,
  sentMonth: noCount,
  receivedMonth: noCount,
  sentMinute: noCount,
  overLimitCount: 0,
  policies: defaultPolicies,
  createdAt: signedUp,
  updatedAt: signedUp,
  ...facts,
})

export const domain = (facts: Partial<DomainRecord> = {}): DomainRecord => ({
  id: DomainId.make(uuid(5)),
  accountId,
  domain: "acme.dev",
  status: "PENDING_VERIFICATION",
  dkimSelector: "mr0a1b2c3d",
  dkimPublicKey: "MIIBIjANBgkq",
  sealedDkimKey: "sealed",
  nextDkimSelector: null,
  nextDkimPublicKey: null,
  nextSealedDkimKey: null,
  mxState: "MISSING",
  spfState: "MISSING",
  dkimState: "MISSING",
  dmarcState: "MISSING",
  wrongSince: signedUp,
  nextCheckAt: null,
  createdAt: signedUp,
  updatedAt: signedUp,
  ...facts,
})

export const content = (fields: Partial<MessageContent> = {}): MessageContent => ({
  id: messageId,
  mailboxId,
  direction: "INBOUND",
  deliveredTo: "agent@acme.mailroom.localhost",
  messageId: "<a@acme.dev>",
  inReplyTo: null,
  references: [],
  fromAddress: "ada@acme.dev",
  fromName: null,
  toAddresses: [],
  ccAddresses: [],
  bccAddresses: [],
  replyTo: null,
  subject: "Plan",
  bodyText: null,
  bodyHtml: null,
  extractedText: null,
  hasAttachments: false,
  attachmentsDropped: false,
  attachmentsDroppedReason: null,
  automated: false,
  authentication: null,
  codes: [],
  links: [],
  calendar: null,
  trust: null,
  spam: null,
  createdAt: "2026-03-01T09:30:00.000Z",
  receivedAt: null,
  attachments: [],
  ...fields,
})

/** The refusal, or null when there was none. */
export const refusal = <A, E>(outcome: Either.Either<A, E>): E | null =>
  Either.isLeft(outcome) ? outcome.left : null

/** The tag of the refusal, or null when there was none. */
export const refusedAs = <A, E extends { readonly _tag: string }>(
  outcome: Either.Either<A, E>,
): E["_tag"] | null => Either.match(outcome, { onLeft: ({ _tag: tag }) => tag, onRight: () => null })

/** What was let through; fails the test when it was refused. */
export const admitted = <A, E>(outcome: Either.Either<A, E>): A => Either.getOrThrow(outcome)

/** What a schema makes of an input; throws when it refuses it. */
export const read = <A, I>(schema: Schema.Schema<A, I>, input: unknown): A =>
  Schema.decodeUnknownSync(schema)(input)

export const accepts = (schema: Schema.Schema.AnyNoContext, input: unknown): boolean =>
  Either.isRight(Schema.decodeUnknownEither(schema)(input))

/** Properties draw the same cases in every run. */
export const drawn = { fastCheck: { seed: 20_280_229, numRuns: 500 } }
