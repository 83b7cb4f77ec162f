/** All stores of the engine over one SQL client, whichever database it speaks to. */
import { SqlClient } from "@effect/sql"
import {
  type AccountRemovalStore,
  type AccountStore,
  type AdminStore,
  type ApiKeyStore,
  type AttachmentStore,
  type BlobDraftStore,
  type CheckoutStore,
  type DevelopmentOutbox,
  type DomainStore,
  type EventStore,
  type IdempotencyStore,
  type IntegrityStore,
  type InvitationStore,
  type JobStore,
  type MailboxStore,
  type MailTokenStore,
  type MessageStore,
  type PlatformKeyStore,
  type RateLimitStore,
  type RawMailStore,
  type ReportStore,
  type ReservedNameStore,
  type SendStore,
  type SessionStore,
  type SignInNetworkStore,
  type StreamSlots,
  type SuppressionStore,
  type ThreadStore,
  Transactions,
  type WebhookStore,
  type WriteCheckStore,
} from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { AccountRemovalStoreSql } from "./accounts/AccountRemovalStoreSql.js"
import { AccountStoreSql } from "./accounts/AccountStoreSql.js"
import { InvitationStoreSql } from "./accounts/InvitationStoreSql.js"
import { MailTokenStoreSql } from "./accounts/MailTokenStoreSql.js"
import { ReservedNameStoreSql } from "./accounts/ReservedNameStoreSql.js"
import { SessionStoreSql } from "./accounts/SessionStoreSql.js"
import { SignInNetworkStoreSql } from "./accounts/SignInNetworkStoreSql.js"
import { AdminStoreSql } from "./admin/AdminStoreSql.js"
import { AttachmentStoreSql } from "./attachments/AttachmentStoreSql.js"
import { BlobDraftStoreSql } from "./blobs/BlobDraftStoreSql.js"
import { CheckoutStoreSql } from "./billing/CheckoutStoreSql.js"
import { transactionOf } from "./database/transaction.js"
import { DevelopmentOutboxSql } from "./development/DevelopmentOutboxSql.js"
import { DomainStoreSql } from "./domains/DomainStoreSql.js"
import { PlatformKeyStoreSql } from "./domains/PlatformKeyStoreSql.js"
import { EventStoreSql } from "./events/EventStoreSql.js"
import { StreamSlotsSql } from "./events/StreamSlotsSql.js"
import { WriteCheckStoreSql } from "./health/WriteCheckStoreSql.js"
import { IdempotencyStoreSql } from "./idempotency/IdempotencyStoreSql.js"
import { IntegrityStoreSql } from "./integrity/IntegrityStoreSql.js"
import { JobStoreSql } from "./jobs/JobStoreSql.js"
import { ApiKeyStoreSql } from "./keys/ApiKeyStoreSql.js"
import type { LeaseHolder } from "./LeaseHolder.js"
import { MailboxStoreSql } from "./mailboxes/MailboxStoreSql.js"
import { MessageStoreSql } from "./messages/MessageStoreSql.js"
import { RateLimitStoreSql } from "./rateLimits/RateLimitStoreSql.js"
import { RawMailStoreSql } from "./rawMail/RawMailStoreSql.js"
import { ReportStoreSql } from "./reports/ReportStoreSql.js"
import { SendStoreSql } from "./sends/SendStoreSql.js"
import { SuppressionStoreSql } from "./suppressions/SuppressionStoreSql.js"
import { ThreadStoreSql } from "./threads/ThreadStoreSql.js"
import { WebhookStoreSql } from "./webhooks/WebhookStoreSql.js"

/** What the engine asks of a database. */
export type Stores =
  | AccountRemovalStore
  | AccountStore
  | AdminStore
  | ApiKeyStore
  | AttachmentStore
  | BlobDraftStore
  | CheckoutStore
  | DevelopmentOutbox
  | DomainStore
  | EventStore
  | IdempotencyStore
  | IntegrityStore
  | InvitationStore
  | JobStore
  | MailboxStore
  | MailTokenStore
  | MessageStore
  | PlatformKeyStore
  | RateLimitStore
  | RawMailStore
  | ReportStore
  | ReservedNameStore
  | SendStore
  | SessionStore
  | SignInNetworkStore
  | StreamSlots
  | SuppressionStore
  | ThreadStore
  | Transactions
  | WebhookStore
  | WriteCheckStore

const TransactionsSql = Layer.effect(
  Transactions,
  Effect.map(SqlClient.SqlClient, (sql) => ({ run: transactionOf(sql).run })),
)

/** Every store over the given client, whose database has the schema already. Failures die as `StorageFailure`. */
export const layer: Layer.Layer<Stores, never, SqlClient.SqlClient | LeaseHolder> = Layer.mergeAll(
  AccountRemovalStoreSql,
  AccountStoreSql,
  AdminStoreSql,
  ApiKeyStoreSql,
  AttachmentStoreSql,
  BlobDraftStoreSql,
  CheckoutStoreSql,
  DevelopmentOutboxSql,
  DomainStoreSql,
  EventStoreSql,
  IdempotencyStoreSql,
  IntegrityStoreSql,
  InvitationStoreSql,
  JobStoreSql,
  MailboxStoreSql,
  MailTokenStoreSql,
  MessageStoreSql,
  PlatformKeyStoreSql,
  RateLimitStoreSql,
  RawMailStoreSql,
  ReportStoreSql,
  ReservedNameStoreSql,
  SendStoreSql,
  SessionStoreSql,
  SignInNetworkStoreSql,
  StreamSlotsSql,
  SuppressionStoreSql,
  ThreadStoreSql,
  TransactionsSql,
  WebhookStoreSql,
  WriteCheckStoreSql,
)
