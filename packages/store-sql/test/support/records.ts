/** Records for tests of the stores. Every id is new, so that tests that share a database do not collide. */
import {
  AccountId,
  type AccountRecord,
  AttachmentId,
  defaultPolicies,
  type AttachmentRecord,
  DeliveryId,
  type DeliveryRecord,
  DomainId,
  type DomainRecord,
  type EventRecord,
  ListEntryId,
  type ListEntryRecord,
  MailboxId,
  type MailboxRecord,
  type MessageContent,
  MessageId,
  newAccount,
  noCount,
  RawMailId,
  ThreadId,
  type ThreadRecord,
  timestamp,
  WebhookId,
  type WebhookRecord,
  DraftId,
  type DraftRecord,
  noContent,
} from "@mailroom/domain"
import {
  AccountStore,
  type Envelope,
  MailboxStore,
  type MessageRecord,
  type QueueEntry,
  type RawMail,
} from "@mailroom/engine"
import { Effect } from "effect"

let made = 0

/** Ids sort in the order of the calls. */
export const newId = (): string => `00000000-0000-7000-8000-${(made++).toString(16).padStart(12, "0")}`

/** 2026-03-01T09:30:00.000Z */
export const NOON = 1_772_357_400_000

export const anAccount = (over: Partial<AccountRecord> = {}): AccountRecord => {
  const id = AccountId.make(newId())
  const account = newAccount({
    id,
    email: `${id}@owner.org`,
    name: null,
    slug: `slug-${id}`,
    passwordHash: "$argon2id$",
    intentPlan: null,
    intentPeriod: null,
    createdAt: NOON,
  })
  return { ...account, ...over }
}

export const aMailbox = (accountId: AccountId, over: Partial<MailboxRecord> = {}): MailboxRecord => {
  const id = MailboxId.make(newId())
  return {
    id,
    accountId,
    domainId: null,
    localPart: "agent",
    fullAddress: `agent@${id}.mailroom.localhost`,
    displayName: null,
    status: "ACTIVE",
    pausedByBilling: false,
    suspendedReason: null,
    provisioned: false,
    sentDay: noCount,
    sentMonth: noCount,
    receivedMonth: noCount,
    sentMinute: noCount,
    overLimitCount: 0,
    sendingStoppedAt: null,
    sendingStopReason: null,
    policies: defaultPolicies,
    createdAt: NOON,
    updatedAt: NOON,
    ...over,
  }
}

export const aDomain = (accountId: AccountId, over: Partial<DomainRecord> = {}): DomainRecord => {
  const id = DomainId.make(newId())
  return {
    id,
    accountId,
    domain: `${id}.dev`,
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
    wrongSince: NOON,
    nextCheckAt: null,
    createdAt: NOON,
    updatedAt: NOON,
    ...over,
  }
}

/** An entry of the account's block list of senders. */
export const aListEntry = (
  over: Pick<ListEntryRecord, "accountId"> & Partial<ListEntryRecord>,
): ListEntryRecord => ({
  id: ListEntryId.make(newId()),
  ownerId: over.accountId,
  direction: "receive",
  kind: "block",
  entry: "@spam.example",
  reason: null,
  createdAt: NOON,
  ...over,
})

/** A stored account. */
export const storedAccount = Effect.gen(function* () {
  const account = anAccount()
  yield* Effect.flatMap(AccountStore, (store) => store.insert(account)).pipe(Effect.orDie)
  return account
})

/** A stored mailbox and its account. */
export const storedMailbox = Effect.gen(function* () {
  const mailbox = aMailbox((yield* storedAccount).id)
  yield* Effect.flatMap(MailboxStore, (store) => store.insert(mailbox)).pipe(Effect.orDie)
  return mailbox
})

export type Owner = Pick<MailboxRecord, "id" | "accountId">

interface MessageOptions extends Partial<Omit<MessageRecord, "content">> {
  readonly content?: Partial<MessageContent>
}

export const aMessage = (owner: Owner, { content, ...over }: MessageOptions = {}): MessageRecord => {
  const id = content?.id ?? MessageId.make(newId())
  const createdAt = over.createdAt ?? NOON
  return {
    accountId: owner.accountId,
    content: {
      id,
      mailboxId: owner.id,
      direction: "INBOUND",
      deliveredTo: "agent@mailroom.localhost",
      messageId: `<${id}@sender.org>`,
      inReplyTo: null,
      references: [],
      fromAddress: "ada@sender.org",
      fromName: "Ada",
      toAddresses: ["agent@mailroom.localhost"],
      ccAddresses: [],
      bccAddresses: [],
      replyTo: null,
      subject: "Hello",
      bodyText: "Hello there",
      bodyHtml: null,
      extractedText: "Hello there",
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
      createdAt: timestamp(createdAt),
      receivedAt: timestamp(createdAt),
      attachments: [],
      ...content,
    },
    headers: { subject: "Hello", received: ["by one", "by two"] },
    threadId: ThreadId.make(newId()),
    status: "RECEIVED",
    gate: null,
    labels: [],
    readAt: null,
    sentAt: null,
    createdAt,
    dedupKey: null,
    rawId: null,
    automaticTurn: false,
    claim: null,
    quarantine: null,
    ...over,
  }
}

export const aThread = (owner: Owner, over: Partial<ThreadRecord> = {}): ThreadRecord => ({
  id: ThreadId.make(newId()),
  accountId: owner.accountId,
  mailboxId: owner.id,
  subject: "Hello",
  baseSubject: "hello",
  participants: ["ada@sender.org"],
  messageCount: 1,
  lastMessageAt: NOON,
  createdAt: NOON,
  takenOverAt: null,
  ...over,
})

export const aQueueEntry = (rawId: RawMailId, over: Partial<QueueEntry> = {}): QueueEntry => ({
  id: newId(),
  rawId,
  envelope: anEnvelope(),
  dueAt: 0,
  lane: "fast",
  turn: NOON,
  tenant: "acme.example",
  workBytes: 1_000,
  ...over,
})

export const aRawMail = (over: Partial<RawMail> = {}): RawMail => ({
  id: RawMailId.make(newId()),
  content: { kind: "inline", bytes: new TextEncoder().encode("Subject: Hello\r\n\r\nHello there\r\n") },
  createdAt: NOON,
  ...over,
})

export const anEnvelope = (over: Partial<Envelope> = {}): Envelope => ({
  from: "ada@sender.org",
  to: ["agent@mailroom.localhost"],
  remoteAddress: "192.0.2.1",
  helo: "mail.sender.org",
  tls: true,
  receivedAt: NOON,
  ...over,
})

export const anAttachment = (
  accountId: AccountId,
  over: Partial<AttachmentRecord> = {},
): AttachmentRecord => {
  const id = AttachmentId.make(newId())
  return {
    id,
    accountId,
    mailboxId: null,
    messageId: null,
    draftId: null,
    filename: "report.pdf",
    contentType: "application/pdf",
    sizeBytes: 100,
    contentId: null,
    blobKey: `attachments/${id}`,
    createdAt: NOON,
    ...over,
  }
}

export const aDraft = (
  { id: mailboxId, accountId }: Owner,
  over: Partial<DraftRecord> = {},
): DraftRecord => ({
  id: DraftId.make(newId()),
  accountId,
  mailboxId,
  status: "DRAFT",
  content: { ...noContent, to: ["ada@sender.org"], subject: "Hello", bodyText: "Hello" },
  digest: "0".repeat(64),
  approvedDigest: null,
  personApprovedAt: null,
  byPerson: false,
  clientId: null,
  sendAt: null,
  review: null,
  error: null,
  dueAt: null,
  attempts: 0,
  sizeBytes: 10,
  createdAt: NOON,
  updatedAt: NOON,
  ...over,
})

export const aWebhook = (accountId: AccountId, over: Partial<WebhookRecord> = {}): WebhookRecord => ({
  id: WebhookId.make(newId()),
  accountId,
  url: "https://receiver.org/hook",
  mailboxId: null,
  events: ["message.received"],
  sealedHeaders: null,
  headerNames: [],
  sealedSecret: "sealed",
  sealedPreviousSecret: null,
  previousSecretUntil: null,
  status: "ACTIVE",
  failureCount: 0,
  lastTriggeredAt: null,
  createdAt: NOON,
  updatedAt: NOON,
  ...over,
})

export const aDelivery = (
  webhook: WebhookRecord,
  event: EventRecord,
  over: Partial<DeliveryRecord> = {},
): DeliveryRecord => ({
  id: DeliveryId.make(newId()),
  webhookId: webhook.id,
  accountId: webhook.accountId,
  eventId: event.id,
  eventSeq: event.seq,
  event: event.kind,
  payload: null,
  status: "PENDING",
  attempts: 0,
  responseStatus: null,
  lastError: null,
  dueAt: NOON,
  createdAt: NOON,
  deliveredAt: null,
  ...over,
})
