/** The job queue: jobs are added in the transaction of the change that needs them, leased, and retried. */
import { AccountId, type Instant, MailboxId, RawMailId, ThreadId, WebhookId } from "@mailroom/domain"
import { Context, type Effect, Schema } from "effect"
import { IntegrityCheck } from "./IntegrityStore.js"

/** The kinds of jobs. A job runs at least once, so running one twice must be harmless. */
export const JobSpec = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("provision-mailbox"), mailboxId: MailboxId }),
  Schema.Struct({ kind: Schema.Literal("send-verification"), accountId: AccountId }),
  Schema.Struct({ kind: Schema.Literal("send-welcome"), accountId: AccountId }),
  Schema.Struct({ kind: Schema.Literal("send-password-reset"), accountId: AccountId }),
  Schema.Struct({
    kind: Schema.Literal("send-sending-stopped"),
    accountId: AccountId,
    mailboxId: MailboxId,
  }),
  Schema.Struct({ kind: Schema.Literal("send-review-notice"), accountId: AccountId }),
  Schema.Struct({ kind: Schema.Literal("remove-account"), accountId: AccountId }),
  Schema.Struct({ kind: Schema.Literal("purge-mailbox"), accountId: AccountId, mailboxId: MailboxId }),
  Schema.Struct({ kind: Schema.Literal("show-unlocked"), accountId: AccountId }),
  Schema.Struct({ kind: Schema.Literal("move-thread"), accountId: AccountId, threadId: ThreadId }),
  Schema.Struct({ kind: Schema.Literal("remove-thread"), accountId: AccountId, threadId: ThreadId }),
  Schema.Struct({ kind: Schema.Literal("purge-webhook"), webhookId: WebhookId }),
  Schema.Struct({ kind: Schema.Literal("fail-deliveries"), webhookId: WebhookId }),
  Schema.Struct({ kind: Schema.Literal("remove-blobs"), keys: Schema.Array(Schema.String) }),
  Schema.Struct({
    kind: Schema.Literal("pass-on"),
    rawId: RawMailId,
    /** the role address, as in the envelope */
    to: Schema.String,
    /** the address in From; "" without one */
    author: Schema.String,
    subject: Schema.String,
  }),
  /** prepares messages of an earlier version for filtered lists */
  Schema.Struct({ kind: Schema.Literal("index-messages") }),
  /** reads messages of an earlier version for correspondents */
  Schema.Struct({ kind: Schema.Literal("read-correspondents") }),
  Schema.Struct({ kind: Schema.Literal("cancel-subscription"), reference: Schema.String }),
  /** releases accounts from their trials and lapsed plans */
  Schema.Struct({
    kind: Schema.Literal("end-billing"),
    /** id of the last account that was looked at; "" before the first */
    after: Schema.String,
  }),
  Schema.Struct({
    kind: Schema.Literal("check-integrity"),
    check: IntegrityCheck,
    /** id of the last value that was compared; "" before the first */
    after: Schema.String,
  }),
)
export type JobSpec = typeof JobSpec.Type

/** A job that sends a mail of the service to an account's owner. */
export type SystemMailSpec = Extract<
  JobSpec,
  { kind: "send-verification" | "send-welcome" | "send-password-reset" | "send-sending-stopped" }
>

/** A job that mails an account's owner. */
export type ToOwnerSpec = SystemMailSpec | Extract<JobSpec, { kind: "send-review-notice" }>

/** A job that forwards mail for a role address (docs/decisions/0056). The raw mail is not removed as long as the job exists. */
export type PassOnSpec = Extract<JobSpec, { kind: "pass-on" }>

export const isSystemMail = (spec: JobSpec): spec is SystemMailSpec =>
  spec.kind === "send-verification" ||
  spec.kind === "send-welcome" ||
  spec.kind === "send-password-reset" ||
  spec.kind === "send-sending-stopped" ||
  spec.kind === "send-review-notice"

export interface JobRecord {
  readonly id: string
  readonly spec: JobSpec
  /** claims, the current one included */
  readonly attempts: number
  readonly dueAt: Instant
  /** when the job was first due */
  readonly since: Instant
}

/** `AccountRemovalStore.purge` removes the system mail jobs of an account. */
export class JobStore extends Context.Tag("@mailroom/JobStore")<
  JobStore,
  {
    readonly add: (
      jobs: ReadonlyArray<{ readonly id: string; readonly spec: JobSpec; readonly dueAt: Instant }>,
    ) => Effect.Effect<void>
    /** Adds a job unless there is one with the same id. */
    readonly addOnce: (job: {
      readonly id: string
      readonly spec: JobSpec
      readonly dueAt: Instant
    }) => Effect.Effect<void>
    /**
     * Leases up to `limit` due jobs, oldest first. Jobs that one account adds close together are ordered 10 seconds apart,
     * so that an account with many jobs does not delay the jobs of others.
     */
    readonly claim: (
      limit: number,
      now: Instant,
      leaseUntil: Instant,
    ) => Effect.Effect<ReadonlyArray<JobRecord>>
    /** Frees what this process leased until exactly `leaseUntil`, for a claim whose reply was lost. Counts no attempt. */
    readonly abandonClaim: (leaseUntil: Instant) => Effect.Effect<void>
    /** Removes a job. */
    readonly done: (id: string) => Effect.Effect<void>
    /** Ends the lease and makes the job due at `at`. Does nothing when another process has leased the job since. */
    readonly retry: (id: string, at: Instant) => Effect.Effect<void>
  }
>() {}
