/**
 * The engine as one layer. What it needs are its ports: provide adapters, in-memory ones or your own. The role
 * `worker` is `Engine.workers`, apart, so that a process can serve without delivering.
 */
import { Effect, Layer } from "effect"
import { AccountRemoval } from "./accounts/AccountRemoval.js"
import { Accounts } from "./accounts/Accounts.js"
import { LinkRequests } from "./accounts/LinkRequests.js"
import { Onboarding } from "./accounts/Onboarding.js"
import { OwnerMail } from "./accounts/OwnerMail.js"
import { Attachments } from "./attachments/Attachments.js"
import { DownloadLinks } from "./attachments/DownloadLinks.js"
import { Authentication } from "./auth/Authentication.js"
import { CredentialWatch } from "./auth/CredentialWatch.js"
import { ExpiredProofs } from "./auth/ExpiredProofs.js"
import { PasswordReset } from "./auth/PasswordReset.js"
import { Billing } from "./billing/Billing.js"
import { EventRecorder } from "./events/EventRecorder.js"
import { EventStreams } from "./events/EventStreams.js"
import { Ids } from "./ids/Ids.js"
import { Deliverer } from "./inbound/Deliverer.js"
import { DeliveryWorker } from "./inbound/DeliveryWorker.js"
import { GatedMessages } from "./inbound/GatedMessages.js"
import { Intake } from "./inbound/Intake.js"
import { receptionLayer } from "./inbound/receive.js"
import { Jobs } from "./jobs/Jobs.js"
import { ApiKeys } from "./keys/ApiKeys.js"
import { Mailboxes } from "./mailboxes/Mailboxes.js"
import { MessageChanges } from "./messages/MessageChanges.js"
import { Messages } from "./messages/Messages.js"
import type { Blobs } from "./ports/Blobs.js"
import type { Entropy, Passwords, Vault } from "./ports/Crypto.js"
import type { Dns } from "./ports/Dns.js"
import type { MimeComposer } from "./ports/MimeComposer.js"
import type { MimeParser } from "./ports/MimeParser.js"
import type { OutboundMail } from "./ports/OutboundMail.js"
import type { Payments } from "./ports/Payments.js"
import type { Reception } from "./ports/Reception.js"
import type { Settings } from "./ports/Settings.js"
import type { Signals } from "./ports/Signals.js"
import type { AccountRemovalStore, ReservedNameStore } from "./ports/stores/AccountRemovalStore.js"
import type { AccountStore, MailTokenStore, SessionStore } from "./ports/stores/AccountStore.js"
import type { ApiKeyStore } from "./ports/stores/ApiKeyStore.js"
import type { AttachmentStore } from "./ports/stores/AttachmentStore.js"
import type { CheckoutStore } from "./ports/stores/CheckoutStore.js"
import type { EventStore } from "./ports/stores/EventStore.js"
import type { JobStore } from "./ports/stores/JobStore.js"
import type { DomainStore, MailboxStore } from "./ports/stores/MailboxStore.js"
import type { MessageStore } from "./ports/stores/MessageStore.js"
import type { RateLimitStore } from "./ports/stores/RateLimitStore.js"
import type { RawMailStore } from "./ports/stores/RawMailStore.js"
import type { SuppressionStore } from "./ports/stores/SuppressionStore.js"
import type { ThreadStore } from "./ports/stores/ThreadStore.js"
import type { Transactions } from "./ports/stores/Transactions.js"
import type { WebhookStore } from "./ports/stores/WebhookStore.js"
import type { WebhookTransport } from "./ports/WebhookTransport.js"
import { MailRouter } from "./sending/MailRouter.js"
import { OutgoingAttachments } from "./sending/OutgoingAttachments.js"
import { Sending } from "./sending/Sending.js"
import { SystemMail } from "./sending/SystemMail.js"
import { ThreadIndex } from "./threads/ThreadIndex.js"
import { UnitOfWork } from "./UnitOfWork.js"
import { Webhooks } from "./webhooks/Webhooks.js"
import { WebhookWorker } from "./webhooks/WebhookWorker.js"

const foundations = Layer.mergeAll(
  UnitOfWork.layer,
  Ids.layer,
  Intake.layer,
  ThreadIndex.layer,
  DownloadLinks.layer,
)
const inner = Layer.mergeAll(
  EventRecorder.layer,
  GatedMessages.layer,
  LinkRequests.layer,
  Mailboxes.layer,
  receptionLayer,
)
const services = Layer.mergeAll(
  AccountRemoval.layer,
  Accounts.layer,
  ApiKeys.layer,
  Authentication.layer,
  Billing.layer,
  CredentialWatch.layer,
  EventStreams.layer,
  Onboarding.layer,
  PasswordReset.layer,
  Webhooks.layer,
)
const reading = Layer.provideMerge(Layer.merge(Attachments.layer, MessageChanges.layer), Messages.layer)
const sending = Layer.provideMerge(
  Layer.mergeAll(Sending.layer, SystemMail.layer),
  Layer.mergeAll(OutgoingAttachments.layer, MailRouter.layer),
)
const workers = Layer.mergeAll(
  Layer.provide(DeliveryWorker.layer, Deliverer.layer),
  ExpiredProofs.layer,
  Layer.provide(Jobs.layer, OwnerMail.layer),
  WebhookWorker.layer,
)

/** What one embeds: the use cases, the SMTP side (`Reception`), and the background work. */
export type EngineServices =
  | AccountRemoval
  | Accounts
  | ApiKeys
  | Attachments
  | Authentication
  | Billing
  | CredentialWatch
  | DeliveryWorker
  | DownloadLinks
  | EventStreams
  | ExpiredProofs
  | Jobs
  | Mailboxes
  | MessageChanges
  | Messages
  | Onboarding
  | PasswordReset
  | Reception
  | Sending
  | WebhookWorker
  | Webhooks

/** What it needs: settings, stores, and the outside world. */
export type EnginePorts =
  | AccountRemovalStore
  | AccountStore
  | ApiKeyStore
  | AttachmentStore
  | Blobs
  | CheckoutStore
  | Dns
  | DomainStore
  | Entropy
  | EventStore
  | JobStore
  | MailTokenStore
  | MailboxStore
  | MessageStore
  | MimeComposer
  | MimeParser
  | OutboundMail
  | Passwords
  | Payments
  | RateLimitStore
  | RawMailStore
  | ReservedNameStore
  | SessionStore
  | Settings
  | Signals
  | SuppressionStore
  | ThreadStore
  | Transactions
  | Vault
  | WebhookStore
  | WebhookTransport

/** Every use case. */
const layer: Layer.Layer<EngineServices, never, EnginePorts> = workers.pipe(
  Layer.provideMerge(sending),
  Layer.provideMerge(reading),
  Layer.provideMerge(services),
  Layer.provideMerge(inner),
  Layer.provideMerge(foundations),
)

type Workers = DeliveryWorker | ExpiredProofs | Jobs | WebhookWorker

/** Runs deliveries, webhooks and jobs in the background, as long as the layer lives. */
const workersLayer: Layer.Layer<never, never, Workers> = Layer.scopedDiscard(
  Effect.gen(function* () {
    yield* Effect.forkScoped((yield* DeliveryWorker).run)
    yield* Effect.forkScoped((yield* Jobs).run)
    yield* Effect.forkScoped((yield* WebhookWorker).run)
    yield* Effect.forkScoped((yield* ExpiredProofs).run)
  }),
)

/** Does, now, all background work that is due: what a deterministic test calls instead of waiting. */
const settle: Effect.Effect<void, never, Workers> = Effect.gen(function* () {
  const delivery = yield* DeliveryWorker
  const jobs = yield* Jobs
  const webhooks = yield* WebhookWorker
  yield* jobs.drain
  // Delivered mail may bring more mail inside, and every mail its webhooks.
  yield* Effect.repeat(delivery.drain, { until: (count) => count === 0 })
  yield* webhooks.drain
  yield* (yield* ExpiredProofs).sweep
})

export const Engine = { layer, workers: workersLayer, settle }
