/** Small pieces of durable work: added with the change that asks for them, leased, retried. */
import { AccountId, type Instant, MailboxId, RawMailId, ThreadId, WebhookId } from "@mailroom/domain"
import { Context, type Effect, Schema } from "effect"
import { IntegrityCheck } from "./IntegrityStore.js"

/** What is to be done. Done twice it must do no harm: a job runs at least once. */
export const JobSpec = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("provision-mailbox"), mailboxId: MailboxId }),
  Schema.Struct({ kind: Schema.Literal("send-verification"), accountId: AccountId }),
  Schema.Struct({ kind: Schema.Literal("send-welcome"), accountId: AccountId }),
  Schema.Struct({ kind: Schema.Literal("send-password-reset"), accountId: AccountId }),
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
    /** the role address it came for, as the envelope has it */
    to: Schema.String,
    /** the address in its From; "" without one */
    author: Schema.String,
    subject: Schema.String,
  }),
  Schema.Struct({ kind: Schema.Literal("cancel-subscription"), reference: Schema.String }),
  Schema.Struct({
    kind: Schema.Literal("check-integrity"),
    check: IntegrityCheck,
    /** the last id that was compared; "" before the first */
    after: Schema.String,
  }),
)
export type JobSpec = typeof JobSpec.Type

/** A mail of the service's own to an account's owner. */
export type SystemMailSpec = Extract<
  JobSpec,
  { kind: "send-verification" | "send-welcome" | "send-password-reset" }
>

/** Mail to a role address that is passed on (docs/decisions/0056). */
export type PassOnSpec = Extract<JobSpec, { kind: "pass-on" }>

export const isSystemMail = (spec: JobSpec): spec is SystemMailSpec =>
  spec.kind === "send-verification" || spec.kind === "send-welcome" || spec.kind === "send-password-reset"

export interface JobRecord {
  readonly id: string
  readonly spec: JobSpec
  /** the claim that is running counts */
  readonly attempts: number
  readonly dueAt: Instant
  /** when it was due first */
  readonly since: Instant
}

/** A system mail goes with its account (`AccountRemovalStore.purge`). */
export class JobStore extends Context.Tag("@mailroom/JobStore")<
  JobStore,
  {
    readonly add: (
      jobs: ReadonlyArray<{ readonly id: string; readonly spec: JobSpec; readonly dueAt: Instant }>,
    ) => Effect.Effect<void>
    /** Adds a job unless there is one with its id. */
    readonly addOnce: (job: {
      readonly id: string
      readonly spec: JobSpec
      readonly dueAt: Instant
    }) => Effect.Effect<void>
    /**
     * Leases up to `limit` due jobs, oldest first. An account that added several is served one in 10 seconds before its
     * next job stands behind other accounts' jobs.
     */
    readonly claim: (
      limit: number,
      now: Instant,
      leaseUntil: Instant,
    ) => Effect.Effect<ReadonlyArray<JobRecord>>
    /** Frees what a claim of this process leased until exactly `leaseUntil`, when its answer was lost; no attempt counts. */
    readonly abandonClaim: (leaseUntil: Instant) => Effect.Effect<void>
    readonly done: (id: string) => Effect.Effect<void>
    /** Ends the lease of this process and makes the job due at `at`. Nothing changes when another process has leased it. */
    readonly retry: (id: string, at: Instant) => Effect.Effect<void>
  }
>() {}
