/** All stores of the engine over one SQL client, for both databases. */
import * as SqlClient from "@effect/sql/SqlClient"
import { inOrder, Transactions } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { AccountRemovalStoreSql } from "./accounts/AccountRemovalStoreSql.js"
import { AccountStoreSql } from "./accounts/AccountStoreSql.js"
import { MailTokenStoreSql, SessionStoreSql, SignInNetworkStoreSql } from "./accounts/SignInStoresSql.js"
import { InvitationStoreSql, ReservedNameStoreSql } from "./accounts/SignUpStoresSql.js"
import { AddressListStoreSql } from "./addressLists/AddressListStoreSql.js"
import { AdminStoreSql } from "./admin/AdminStoreSql.js"
import { AttachmentStoreSql } from "./attachments/AttachmentStoreSql.js"
import { AttachmentTextStoreSql } from "./attachments/AttachmentTextStoreSql.js"
import { AuditStoreSql } from "./audit/AuditStoreSql.js"
import { BillingModeStoreSql } from "./billing/BillingModeStoreSql.js"
import { CheckoutStoreSql } from "./billing/CheckoutStoreSql.js"
import { BlobDraftStoreSql } from "./blobs/BlobDraftStoreSql.js"
import { ClaimStoreSql } from "./claims/ClaimStoreSql.js"
import { ConsumerStoreSql } from "./consumers/ConsumerStoreSql.js"
import { CorrespondentStoreSql } from "./correspondents/CorrespondentStoreSql.js"
import type { LeaseHolder } from "./database/leases.js"
import { transactionOf } from "./database/transaction.js"
import { DevelopmentOutboxSql } from "./development/DevelopmentOutboxSql.js"
import { DomainStoreSql } from "./domains/DomainStoreSql.js"
import { PlatformKeyStoreSql } from "./domains/PlatformKeyStoreSql.js"
import { DraftStoreSql } from "./drafts/DraftStoreSql.js"
import { EventStoreSql } from "./events/EventStoreSql.js"
import { StreamSlotsSql, WaitSlotsSql } from "./events/StreamSlotsSql.js"
import { WriteCheckStoreSql } from "./health/WriteCheckStoreSql.js"
import { IdempotencyStoreSql } from "./idempotency/IdempotencyStoreSql.js"
import { IntegrityStoreSql } from "./integrity/IntegrityStoreSql.js"
import { JobStoreSql } from "./jobs/JobStoreSql.js"
import { ApiKeyStoreSql } from "./keys/ApiKeyStoreSql.js"
import { MailboxStoreSql } from "./mailboxes/MailboxStoreSql.js"
import { MessageStoreSql } from "./messages/MessageStoreSql.js"
import { RateLimitStoreSql } from "./rateLimits/RateLimitStoreSql.js"
import { RawMailStoreSql } from "./rawMail/RawMailStoreSql.js"
import { ReportStoreSql } from "./reports/ReportStoreSql.js"
import { MailCountStoreSql } from "./reputation/MailCountStoreSql.js"
import { SendingHealthStoreSql } from "./reputation/SendingHealthStoreSql.js"
import { SearchStoreSql } from "./search/SearchStoreSql.js"
import { SendStoreSql } from "./sends/SendStoreSql.js"
import { MailboxSuppressionStoreSql } from "./suppressions/MailboxSuppressionStoreSql.js"
import { SuppressionStoreSql } from "./suppressions/SuppressionStoreSql.js"
import { ThreadStoreSql } from "./threads/ThreadStoreSql.js"
import { ArrivalStoreSql } from "./waiting/ArrivalStoreSql.js"
import { WebhookStoreSql } from "./webhooks/WebhookStoreSql.js"

const TransactionsSql = Layer.effect(
  Transactions,
  Effect.map(SqlClient.SqlClient, (sql) => ({ run: transactionOf(sql).run })),
)

const stores = inOrder(
  AccountRemovalStoreSql,
  AccountStoreSql,
  AddressListStoreSql,
  AdminStoreSql,
  ApiKeyStoreSql,
  ArrivalStoreSql,
  AttachmentStoreSql,
  AttachmentTextStoreSql,
  AuditStoreSql,
  BillingModeStoreSql,
  BlobDraftStoreSql,
  CheckoutStoreSql,
  ClaimStoreSql,
  ConsumerStoreSql,
  CorrespondentStoreSql,
  DevelopmentOutboxSql,
  DomainStoreSql,
  DraftStoreSql,
  EventStoreSql,
  IdempotencyStoreSql,
  IntegrityStoreSql,
  InvitationStoreSql,
  JobStoreSql,
  MailboxStoreSql,
  MailboxSuppressionStoreSql,
  MailCountStoreSql,
  MailTokenStoreSql,
  MessageStoreSql,
  PlatformKeyStoreSql,
  RateLimitStoreSql,
  RawMailStoreSql,
  ReportStoreSql,
  ReservedNameStoreSql,
  SearchStoreSql,
  SendingHealthStoreSql,
  SendStoreSql,
  SessionStoreSql,
  SignInNetworkStoreSql,
  StreamSlotsSql,
  SuppressionStoreSql,
  ThreadStoreSql,
  TransactionsSql,
  WaitSlotsSql,
  WebhookStoreSql,
  WriteCheckStoreSql,
)

/** Every store that the engine needs. */
export type Stores = Layer.Layer.Success<typeof stores>

/**
 * Every store over the given client, whose database already has this version's schema. A failing statement dies as
 * `StorageFailure`.
 */
export const layer: Layer.Layer<Stores, never, SqlClient.SqlClient | LeaseHolder> = stores
