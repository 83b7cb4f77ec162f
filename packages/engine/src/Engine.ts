/**
 * The engine as one layer, over its ports: provide the adapters of this repository, those in memory, or your own.
 * `Engine.workers` runs the background work (the role `worker`). It is a layer of its own, so that a process can serve
 * requests without it.
 */
import { Effect, Layer } from "effect"
import { AccountRemoval } from "./accounts/AccountRemoval.js"
import { Invitations } from "./accounts/Invitations.js"
import { SendingSwitch } from "./accounts/SendingSwitch.js"
import { Accounts } from "./accounts/Accounts.js"
import { AddressLists } from "./addressLists/AddressLists.js"
import { ListedAddresses } from "./addressLists/ListedAddresses.js"
import { Administration } from "./admin/Administration.js"
import { LinkRequests } from "./accounts/LinkRequests.js"
import { Onboarding } from "./accounts/Onboarding.js"
import { OwnerMail } from "./accounts/OwnerMail.js"
import { RoleMail } from "./accounts/RoleMail.js"
import { BlobDrafts } from "./blobs/BlobDrafts.js"
import { Attachments } from "./attachments/Attachments.js"
import { AttachmentReading } from "./attachments/AttachmentReading.js"
import { AttachmentTexts } from "./attachments/AttachmentTexts.js"
import { DownloadLinks } from "./attachments/DownloadLinks.js"
import { AuditLog } from "./audit/AuditLog.js"
import { Authentication } from "./auth/Authentication.js"
import { Consumers } from "./consumers/Consumers.js"
import { Correspondents } from "./correspondents/Correspondents.js"
import { CredentialWatch } from "./auth/CredentialWatch.js"
import { PasswordReset } from "./auth/PasswordReset.js"
import { PasswordWork } from "./auth/PasswordWork.js"
import { SignInLimits } from "./auth/SignInLimits.js"
import { Billing } from "./billing/Billing.js"
import { BillingEnd } from "./billing/BillingEnd.js"
import { Claims } from "./claims/Claims.js"
import { FreeMessages } from "./claims/FreeMessages.js"
import { DraftKeeper } from "./drafts/DraftKeeper.js"
import { DraftViews } from "./drafts/DraftViews.js"
import { Drafts } from "./drafts/Drafts.js"
import { DraftWorker } from "./drafts/DraftWorker.js"
import { ReviewMail, ReviewNotices } from "./drafts/ReviewNotices.js"
import { Reviews } from "./drafts/Reviews.js"
import { ScheduledSends } from "./drafts/ScheduledSends.js"
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
import { Imports } from "./imports/Imports.js"
import { BatchDelivery } from "./inbound/BatchDelivery.js"
import { LocalDelivery } from "./inbound/LocalDelivery.js"
import { DeliveryWorker } from "./inbound/DeliveryWorker.js"
import { GatedMessages } from "./inbound/GatedMessages.js"
import { InboundQueue } from "./inbound/InboundQueue.js"
import type { MailSpool } from "./ports/MailSpool.js"
import type { MailSubmission } from "./ports/MailSubmission.js"
import { MailLoad } from "./inbound/MailLoad.js"
import { MailReader } from "./inbound/MailReader.js"
import { MailRemoval } from "./inbound/MailRemoval.js"
import { mailSpoolLayer } from "./inbound/spool.js"
import { SenderJudgement } from "./inbound/SenderJudgement.js"
import { SenderScreening } from "./inbound/SenderScreening.js"
import { RoleAddresses } from "./inbound/RoleAddresses.js"
import { Integrity } from "./integrity/Integrity.js"
import { JobQueue } from "./jobs/JobQueue.js"
import { Jobs } from "./jobs/Jobs.js"
import { JobSteps } from "./jobs/JobSteps.js"
import { ApiKeys } from "./keys/ApiKeys.js"
import { Mailboxes } from "./mailboxes/Mailboxes.js"
import { Lists } from "./messages/Lists.js"
import { MessageChanges } from "./messages/MessageChanges.js"
import { Quarantines } from "./quarantine/Quarantines.js"
import { CrashRecovery } from "./recovery/CrashRecovery.js"
import { Messages } from "./messages/Messages.js"
import { CallerParser } from "./parsing/CallerParser.js"
import { Reports } from "./reports/Reports.js"
import { BounceProcessor } from "./reports/BounceProcessor.js"
import { ReturnPaths } from "./reports/ReturnPaths.js"
import { MailMetrics } from "./reputation/MailMetrics.js"
import { SendingHealth } from "./reputation/SendingHealth.js"
import { Retention } from "./retention/Retention.js"
import { Search } from "./search/Search.js"
import { SearchIndexer } from "./search/SearchIndexer.js"
import { MailRouter } from "./sending/MailRouter.js"
import { OutgoingAttachments } from "./sending/OutgoingAttachments.js"
import { OutgoingMails } from "./sending/OutgoingMails.js"
import { Replies } from "./sending/Replies.js"
import { SendCompletion } from "./sending/SendCompletion.js"
import { SendOutcomes } from "./sending/SendOutcomes.js"
import { SendRecorder } from "./sending/SendRecorder.js"
import { Sending } from "./sending/Sending.js"
import { SystemMail } from "./sending/SystemMail.js"
import { mailSubmissionLayer } from "./submission/submission.js"
import { Support } from "./support/Support.js"
import { Simulator } from "./simulator/Simulator.js"
import { Suppressions } from "./suppressions/Suppressions.js"
import { Unsubscribes } from "./suppressions/Unsubscribes.js"
import { Takeovers } from "./threads/Takeovers.js"
import { ThreadIndex } from "./threads/ThreadIndex.js"
import { inOrder } from "./inOrder.js"
import { UnitOfWork } from "./UnitOfWork.js"
import { WaitLimit } from "./waiting/WaitLimit.js"
import { Arrivals } from "./waiting/Arrivals.js"
import { LaterPages } from "./waiting/LaterPages.js"
import { Waits } from "./waiting/Waits.js"
import { WebhookDeliveries } from "./webhooks/WebhookDeliveries.js"
import { WebhookRemoval } from "./webhooks/WebhookRemoval.js"
import { Webhooks } from "./webhooks/Webhooks.js"
import { WebhookWorker } from "./webhooks/WebhookWorker.js"
import { withoutServices } from "./withoutServices.js"

// Each layer needs services of those before it, in its list and in the lists above.
const foundations = inOrder(
  Ids.layer,
  JobQueue.layer,
  AuditLog.layer,
  BlobDrafts.layer,
  UnitOfWork.layer,
  RoleAddresses.layer,
  InboundQueue.layer,
  MailLoad.layer,
  ThreadIndex.layer,
  DownloadLinks.layer,
  ListedAddresses.layer,
  MailRemoval.layer,
  WebhookRemoval.layer,
)
const reports = inOrder(
  EventRecorder.layer,
  ReturnPaths.layer,
  SendingHealth.layer,
  Reports.layer,
  BounceProcessor.layer,
)
const inner = inOrder(
  reports,
  SenderScreening.layer,
  CallerParser.layer,
  DomainChecks.layer,
  GatedMessages.layer,
  Integrity.layer,
  LaterPages.layer,
  LinkRequests.layer,
  Mailboxes.layer,
  PasswordWork.layer,
  mailSpoolLayer,
  SignInLimits.layer,
  SigningKeys.layer,
  WaitLimit.layer,
)
const services = inOrder(
  AccountRemoval.layer,
  AddressLists.layer,
  Invitations.layer,
  PlanChanges.layer,
  BillingEnd.layer,
  Accounts.layer,
  CredentialWatch.layer,
  ApiKeys.layer,
  Authentication.layer,
  PaymentEvents.layer,
  Administration.layer,
  Billing.layer,
  Domains.layer,
  EventLog.layer,
  EventStreams.layer,
  Idempotency.layer,
  Onboarding.layer,
  PasswordReset.layer,
  Search.layer,
  MailMetrics.layer,
  SendingSwitch.layer,
  StorageHealth.layer,
  Suppressions.layer,
  Takeovers.layer,
  Unsubscribes.layer,
  Webhooks.layer,
  WebhookDeliveries.layer,
)
const reading = inOrder(
  Messages.layer,
  Attachments.layer,
  AttachmentTexts.layer,
  Consumers.layer,
  Imports.layer,
  MessageChanges.layer,
  Quarantines.layer,
  Arrivals.layer,
  Waits.layer,
  Layer.provide(Claims.layer, FreeMessages.layer),
  Lists.layer,
)
const sending = inOrder(
  OutgoingAttachments.layer,
  ReviewNotices.layer,
  DraftKeeper.layer,
  SendRecorder.layer,
  Simulator.layer,
  OutgoingMails.layer,
  SendOutcomes.layer,
  SendCompletion.layer,
  MailRouter.layer,
  Sending.layer,
  Replies.layer,
  Drafts.layer,
  DraftViews.layer,
  ScheduledSends.layer,
  Reviews.layer,
  mailSubmissionLayer,
  SystemMail.layer,
  Support.layer,
  ReviewMail.layer,
)
const work = inOrder(
  MailReader.layer,
  Correspondents.layer,
  SenderJudgement.layer,
  LocalDelivery.layer,
  BatchDelivery.layer,
  OwnerMail.layer,
  RoleMail.layer,
  JobSteps.layer,
)
const workers = inOrder(
  CrashRecovery.layer,
  DeliveryWorker.layer,
  AttachmentReading.layer,
  DomainWorker.layer,
  DraftWorker.layer,
  Jobs.layer,
  Retention.layer,
  SearchIndexer.layer,
  WebhookWorker.layer,
)

/** The whole engine, with the services that its parts share. */
const complete = inOrder(foundations, inner, services, reading, sending, work, workers)

/** The services of the embedded engine: the use cases, `MailSpool` and `MailSubmission` for the SMTP side, and the background workers. */
export type EngineServices =
  | Layer.Layer.Success<typeof reading>
  | Layer.Layer.Success<typeof services>
  | Layer.Layer.Success<typeof workers>
  | AuditLog
  | DownloadLinks
  | Drafts
  | DraftViews
  | Integrity
  | Mailboxes
  | MailSpool
  | MailSubmission
  | Replies
  | Reports
  | Reviews
  | Sending
  | SigningKeys
  | Support

/** The ports that the engine needs: settings, stores, and the adapters of the world outside. */
export type EnginePorts = Layer.Layer.Context<typeof complete>

const layer: Layer.Layer<EngineServices, never, EnginePorts> = complete

/** The background workers. */
type Workers = Layer.Layer.Success<typeof workers>

interface BackgroundWorker {
  readonly run: Effect.Effect<never>
  /** does all work that is due now */
  readonly drain: Effect.Effect<unknown>
  /** has `run` claim no more, and returns when its tasks have ended */
  readonly finish?: Effect.Effect<void>
}

/** In the order in which `settle` drains them: a message has deliveries to webhooks once it is delivered. */
const backgroundWorkers: Effect.Effect<ReadonlyArray<BackgroundWorker>, never, Workers> = Effect.all([
  DomainWorker,
  DraftWorker,
  CrashRecovery,
  Jobs,
  DeliveryWorker,
  AttachmentReading,
  SearchIndexer,
  WebhookWorker,
  Retention,
])

/** Runs the background workers as long as the layer lives. */
const workersLayer: Layer.Layer<never, never, Workers> = Layer.scopedDiscard(
  Effect.flatMap(
    backgroundWorkers,
    Effect.forEach(({ run }) => Effect.forkScoped(withoutServices(run)), { discard: true }),
  ),
)

/**
 * When its scope closes, the workers of webhooks, drafts and domains claim no more, and finish what they have begun, for `millis` at
 * most. A request to a webhook that `Engine.workers` interrupts is posted again by the next process.
 */
const finishing = (millis: number): Layer.Layer<never, never, Workers> =>
  Layer.scopedDiscard(
    Effect.flatMap(backgroundWorkers, (all) =>
      Effect.addFinalizer(() =>
        Effect.timeoutOption(
          // A finalizer is uninterruptible: a time-out in it would wait for what it gives up.
          Effect.interruptible(
            Effect.forEach(all, ({ finish = Effect.void }) => finish, {
              concurrency: "unbounded",
              discard: true,
            }),
          ),
          millis,
        ),
      ),
    ),
  )

/**
 * Runs all background work that is due now; expired rows are removed once an hour. A deterministic test calls it instead of waiting.
 */
const settle: Effect.Effect<void, never, Workers> = Effect.flatMap(backgroundWorkers, (all) =>
  withoutServices(Effect.forEach(all, ({ drain }) => drain, { discard: true })),
)

/** The check of counts alone, for a command that looks at the database beside a running service. */
const integrity = inOrder(Ids.layer, JobQueue.layer, UnitOfWork.layer, Integrity.layer)

export const Engine = { layer, workers: workersLayer, finishing, settle, integrity }
