/**
 * The engine as one layer. What it needs are its ports: provide adapters, in-memory ones or your own. The role
 * `worker` is `Engine.workers`, apart, so that a process can serve without delivering.
 */
import { Effect, Layer } from "effect"
import { AccountRemoval } from "./accounts/AccountRemoval.js"
import { Invitations } from "./accounts/Invitations.js"
import { Accounts } from "./accounts/Accounts.js"
import { Administration } from "./admin/Administration.js"
import { LinkRequests } from "./accounts/LinkRequests.js"
import { Onboarding } from "./accounts/Onboarding.js"
import { OwnerMail } from "./accounts/OwnerMail.js"
import { RoleMail } from "./accounts/RoleMail.js"
import { BlobDrafts } from "./blobs/BlobDrafts.js"
import { Attachments } from "./attachments/Attachments.js"
import { DownloadLinks } from "./attachments/DownloadLinks.js"
import { Authentication } from "./auth/Authentication.js"
import { CredentialWatch } from "./auth/CredentialWatch.js"
import { PasswordReset } from "./auth/PasswordReset.js"
import { PasswordWork } from "./auth/PasswordWork.js"
import { SignInLimits } from "./auth/SignInLimits.js"
import { Billing } from "./billing/Billing.js"
import { DomainChecks } from "./domains/DomainChecks.js"
import { Domains } from "./domains/Domains.js"
import { SigningKeys } from "./domains/SigningKeys.js"
import { DomainWorker } from "./domains/DomainWorker.js"
import { PaymentEvents } from "./billing/PaymentEvents.js"
import { PlanChanges } from "./billing/PlanChanges.js"
import { EventRecorder } from "./events/EventRecorder.js"
import { EventStreams } from "./events/EventStreams.js"
import { StorageHealth } from "./health/StorageHealth.js"
import { Idempotency } from "./idempotency/Idempotency.js"
import { EventLog } from "./events/EventLog.js"
import { Ids } from "./ids/Ids.js"
import { BatchDelivery } from "./inbound/BatchDelivery.js"
import { LocalDelivery } from "./inbound/LocalDelivery.js"
import { DeliveryWorker } from "./inbound/DeliveryWorker.js"
import { GatedMessages } from "./inbound/GatedMessages.js"
import { InboundQueue } from "./inbound/InboundQueue.js"
import { AcceptRate } from "./inbound/AcceptRate.js"
import { MailReader } from "./inbound/MailReader.js"
import { mailSpoolLayer } from "./inbound/spool.js"
import { RoleAddresses } from "./inbound/RoleAddresses.js"
import { Integrity } from "./integrity/Integrity.js"
import { Jobs } from "./jobs/Jobs.js"
import { ApiKeys } from "./keys/ApiKeys.js"
import { Mailboxes } from "./mailboxes/Mailboxes.js"
import { MessageChanges } from "./messages/MessageChanges.js"
import { Messages } from "./messages/Messages.js"
import type { Blobs } from "./ports/Blobs.js"
import type { Entropy, Passwords, Vault } from "./ports/Crypto.js"
import type { DkimKeys } from "./ports/DkimKeys.js"
import type { Dns } from "./ports/Dns.js"
import type { MailSigner } from "./ports/MailSigner.js"
import type { MimeComposer } from "./ports/MimeComposer.js"
import type { MimeParser } from "./ports/MimeParser.js"
import type { OutboundMail } from "./ports/OutboundMail.js"
import type { Payments } from "./ports/Payments.js"
import type { ProviderReports } from "./ports/ProviderReports.js"
import type { MailSpool } from "./ports/MailSpool.js"
import type { SenderAuthentication } from "./ports/SenderAuthentication.js"
import type { Settings } from "./ports/Settings.js"
import type { Signals } from "./ports/Signals.js"
import type { AccountRemovalStore, ReservedNameStore } from "./ports/stores/AccountRemovalStore.js"
import type { AccountStore, MailTokenStore, SessionStore } from "./ports/stores/AccountStore.js"
import type { AdminStore } from "./ports/stores/AdminStore.js"
import type { ApiKeyStore } from "./ports/stores/ApiKeyStore.js"
import type { AttachmentStore } from "./ports/stores/AttachmentStore.js"
import type { BlobDraftStore } from "./ports/stores/BlobDraftStore.js"
import type { CheckoutStore } from "./ports/stores/CheckoutStore.js"
import type { DomainStore } from "./ports/stores/DomainStore.js"
import type { EventStore } from "./ports/stores/EventStore.js"
import type { IdempotencyStore } from "./ports/stores/IdempotencyStore.js"
import type { IntegrityStore } from "./ports/stores/IntegrityStore.js"
import type { InvitationStore } from "./ports/stores/InvitationStore.js"
import type { JobStore } from "./ports/stores/JobStore.js"
import type { MailboxStore } from "./ports/stores/MailboxStore.js"
import type { MessageStore } from "./ports/stores/MessageStore.js"
import type { PlatformKeyStore } from "./ports/stores/PlatformKeyStore.js"
import type { RateLimitStore } from "./ports/stores/RateLimitStore.js"
import type { RawMailStore } from "./ports/stores/RawMailStore.js"
import type { ReportStore } from "./ports/stores/ReportStore.js"
import type { SendStore } from "./ports/stores/SendStore.js"
import type { SignInNetworkStore } from "./ports/stores/SignInNetworkStore.js"
import type { StreamSlots } from "./ports/stores/StreamSlots.js"
import type { SuppressionStore } from "./ports/stores/SuppressionStore.js"
import type { ThreadStore } from "./ports/stores/ThreadStore.js"
import type { Transactions } from "./ports/stores/Transactions.js"
import type { WebhookStore } from "./ports/stores/WebhookStore.js"
import type { WriteCheckStore } from "./ports/stores/WriteCheckStore.js"
import type { WebhookTransport } from "./ports/WebhookTransport.js"
import { Reports } from "./reports/Reports.js"
import { BounceProcessor } from "./reports/BounceProcessor.js"
import { ReturnPaths } from "./reports/ReturnPaths.js"
import { Retention } from "./retention/Retention.js"
import { MailRouter } from "./sending/MailRouter.js"
import { OutgoingAttachments } from "./sending/OutgoingAttachments.js"
import { OutgoingMails } from "./sending/OutgoingMails.js"
import { Replies } from "./sending/Replies.js"
import { SendCompletion } from "./sending/SendCompletion.js"
import { SendOutcomes } from "./sending/SendOutcomes.js"
import { SendRecorder } from "./sending/SendRecorder.js"
import { Sending } from "./sending/Sending.js"
import { SystemMail } from "./sending/SystemMail.js"
import { Support } from "./support/Support.js"
import { Suppressions } from "./suppressions/Suppressions.js"
import { ThreadIndex } from "./threads/ThreadIndex.js"
import { UnitOfWork } from "./UnitOfWork.js"
import { WebhookDeliveries } from "./webhooks/WebhookDeliveries.js"
import { Webhooks } from "./webhooks/Webhooks.js"
import { WebhookWorker } from "./webhooks/WebhookWorker.js"

const foundations = Layer.mergeAll(
  BlobDrafts.layer,
  UnitOfWork.layer,
  InboundQueue.layer,
  AcceptRate.layer,
  ThreadIndex.layer,
  DownloadLinks.layer,
).pipe(Layer.provideMerge(Ids.layer))
const reports = BounceProcessor.layer.pipe(
  Layer.provideMerge(Reports.layer),
  Layer.provideMerge(Layer.merge(EventRecorder.layer, ReturnPaths.layer)),
)
const inner = Layer.mergeAll(
  DomainChecks.layer,
  GatedMessages.layer,
  Integrity.layer,
  LinkRequests.layer,
  Mailboxes.layer,
  PasswordWork.layer,
  mailSpoolLayer,
  SignInLimits.layer,
  SigningKeys.layer,
).pipe(Layer.provideMerge(Layer.merge(reports, RoleAddresses.layer)))
const billing = Layer.merge(Administration.layer, Billing.layer).pipe(
  Layer.provideMerge(PaymentEvents.layer),
  Layer.provideMerge(PlanChanges.layer),
)
const services = Layer.mergeAll(
  AccountRemoval.layer,
  Layer.provideMerge(Accounts.layer, Invitations.layer),
  ApiKeys.layer,
  Authentication.layer,
  billing,
  CredentialWatch.layer,
  Domains.layer,
  EventLog.layer,
  EventStreams.layer,
  Idempotency.layer,
  Onboarding.layer,
  PasswordReset.layer,
  StorageHealth.layer,
  Suppressions.layer,
  Layer.provideMerge(WebhookDeliveries.layer, Webhooks.layer),
)
const reading = Layer.provideMerge(Layer.merge(Attachments.layer, MessageChanges.layer), Messages.layer)
const sending = Layer.provideMerge(
  Layer.merge(
    Layer.provideMerge(Replies.layer, Sending.layer),
    Layer.provideMerge(Support.layer, SystemMail.layer),
  ),
  Layer.mergeAll(
    Layer.provideMerge(SendRecorder.layer, OutgoingAttachments.layer),
    OutgoingMails.layer,
    Layer.provideMerge(SendCompletion.layer, SendOutcomes.layer),
    MailRouter.layer,
  ),
)
const delivery = DeliveryWorker.layer.pipe(
  Layer.provide(BatchDelivery.layer),
  Layer.provide(LocalDelivery.layer),
  Layer.provide(MailReader.layer),
)
const workers = Layer.mergeAll(
  delivery,
  DomainWorker.layer,
  Layer.provide(Jobs.layer, Layer.merge(OwnerMail.layer, RoleMail.layer)),
  Retention.layer,
  WebhookWorker.layer,
)

/** What one embeds: the use cases, the SMTP side (`MailSpool`), and the background work. */
export type EngineServices =
  | AccountRemoval
  | Accounts
  | Administration
  | ApiKeys
  | Attachments
  | Authentication
  | Billing
  | CredentialWatch
  | DeliveryWorker
  | Domains
  | DomainWorker
  | DownloadLinks
  | EventLog
  | EventStreams
  | Idempotency
  | Integrity
  | Invitations
  | Jobs
  | Mailboxes
  | MessageChanges
  | Messages
  | Onboarding
  | PasswordReset
  | PaymentEvents
  | PlanChanges
  | MailSpool
  | Replies
  | Reports
  | Retention
  | Sending
  | SigningKeys
  | StorageHealth
  | Support
  | Suppressions
  | WebhookDeliveries
  | Webhooks
  | WebhookWorker

/** What it needs: settings, stores, and the outside world. */
export type EnginePorts =
  | AccountRemovalStore
  | AccountStore
  | AdminStore
  | ApiKeyStore
  | AttachmentStore
  | BlobDraftStore
  | Blobs
  | CheckoutStore
  | DkimKeys
  | Dns
  | DomainStore
  | Entropy
  | EventStore
  | IdempotencyStore
  | IntegrityStore
  | InvitationStore
  | JobStore
  | MailboxStore
  | MailTokenStore
  | MessageStore
  | MailSigner
  | MimeComposer
  | MimeParser
  | OutboundMail
  | Passwords
  | Payments
  | PlatformKeyStore
  | ProviderReports
  | RateLimitStore
  | RawMailStore
  | ReportStore
  | ReservedNameStore
  | SenderAuthentication
  | SendStore
  | SessionStore
  | Settings
  | Signals
  | SignInNetworkStore
  | StreamSlots
  | SuppressionStore
  | ThreadStore
  | Transactions
  | Vault
  | WebhookStore
  | WebhookTransport
  | WriteCheckStore

/** Every use case. */
const layer: Layer.Layer<EngineServices, never, EnginePorts> = workers.pipe(
  Layer.provideMerge(sending),
  Layer.provideMerge(reading),
  Layer.provideMerge(services),
  Layer.provideMerge(inner),
  Layer.provideMerge(foundations),
)

/** What works in the background. */
type Workers = DeliveryWorker | DomainWorker | Jobs | Retention | WebhookWorker

/** Runs all of it, as long as the layer lives. */
const workersLayer: Layer.Layer<never, never, Workers> = Layer.scopedDiscard(
  Effect.gen(function* () {
    yield* Effect.forkScoped((yield* DeliveryWorker).run)
    yield* Effect.forkScoped((yield* Jobs).run)
    yield* Effect.forkScoped((yield* WebhookWorker).run)
    yield* Effect.forkScoped((yield* DomainWorker).run)
    yield* Effect.forkScoped((yield* Retention).run)
  }),
)

/** Does, now, all background work that is due: what a deterministic test calls instead of waiting. */
const settle: Effect.Effect<void, never, Workers> = Effect.gen(function* () {
  const delivery = yield* DeliveryWorker
  const jobs = yield* Jobs
  const retention = yield* Retention
  const webhooks = yield* WebhookWorker
  const domains = yield* DomainWorker
  yield* domains.drain
  yield* jobs.drain
  // Delivered mail may bring more mail inside, and every mail its webhooks.
  yield* Effect.repeat(delivery.drain, { until: (count) => count === 0 })
  yield* webhooks.drain
  yield* retention.sweep
})

/** The check of counts alone: what a command needs that looks at the database beside a running service. */
const integrity: Layer.Layer<
  Integrity,
  never,
  AccountStore | Entropy | IntegrityStore | JobStore | Signals | Transactions
> = Integrity.layer.pipe(Layer.provide(UnitOfWork.layer), Layer.provide(Ids.layer))

export const Engine = { layer, workers: workersLayer, settle, integrity }
