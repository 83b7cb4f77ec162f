/** Creates, reads, changes and removes the mailboxes of an account (docs/specification/mailboxes.md). */
import {
  type AccountRecord,
  byCaller,
  admitMailbox,
  type AlreadyTaken,
  changePolicies,
  type AuditAction,
  type AuditDetail,
  changeStatus,
  type CustomDomainLimitReached,
  defaultPolicies,
  displayNameOf,
  type DomainId,
  DomainNotVerified,
  inScope,
  type Mailbox,
  type MailboxCounts,
  MailboxId,
  type MailboxLimitReached,
  MailboxPolicies,
  MailboxRecord,
  type MailboxSuspended,
  NotFound,
  type PermissionDenied,
  type PlanUse,
  type PolicyChange,
  type Principal,
  requirePermission,
  ScopeForbidden,
  viewMailbox,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { lockAccount } from "../accounts/lockAccount.js"
import { AuditLog } from "../audit/AuditLog.js"
import { Ids } from "../ids/Ids.js"
import { JobQueue } from "../jobs/JobQueue.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { AddressListStore } from "../ports/stores/AddressListStore.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { WebhookStore } from "../ports/stores/WebhookStore.js"
import { SendingHealth } from "../reputation/SendingHealth.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { WebhookRemoval } from "../webhooks/WebhookRemoval.js"
import { newMailbox } from "./newMailbox.js"

export type PlanLimit = MailboxLimitReached | CustomDomainLimitReached

const isSameMailbox = Schema.equivalence(MailboxRecord)
const arePoliciesEqual = Schema.equivalence(MailboxPolicies)

export class Mailboxes extends Context.Tag("@mailroom/Mailboxes")<
  Mailboxes,
  {
    /** The mailboxes in scope, oldest first. */
    readonly list: (principal: Principal) => Effect.Effect<ReadonlyArray<Mailbox>>
    readonly get: (principal: Principal, id: MailboxId) => Effect.Effect<Mailbox, NotFound>
    /** As `get`, but returns the record. `NotFound` for a mailbox out of scope. */
    readonly require: (principal: Principal, id: MailboxId) => Effect.Effect<MailboxRecord, NotFound>
    /** `domainId` null: on the platform domain. `AlreadyTaken` when the address is in use. */
    readonly create: (
      principal: Principal,
      wanted: {
        readonly localPart: string
        readonly displayName: string | null
        readonly domainId: DomainId | null
        /** the other policies have their defaults */
        readonly policies?: PolicyChange | undefined
      },
    ) => Effect.Effect<Mailbox, NotFound | DomainNotVerified | PlanLimit | AlreadyTaken>
    /**
     * Fields that are undefined do not change; a change to the present values changes nothing; `displayName` null or blank removes the name. `ScopeForbidden` for policies from a
     * scoped key, `PermissionDenied` from one without `manage`; `PlanLimit` when the plan has no room for one more active
     * mailbox; `MailboxSuspended` for a change of the status of a suspended mailbox.
     */
    readonly update: (
      principal: Principal,
      id: MailboxId,
      change: {
        readonly displayName: string | null | undefined
        readonly status: "ACTIVE" | "paused" | undefined
        readonly policies?: PolicyChange | undefined
      },
    ) => Effect.Effect<Mailbox, NotFound | ScopeForbidden | PermissionDenied | PlanLimit | MailboxSuspended>
    /** Lets a mailbox send again whose sending was stopped, with a fresh window. Changes nothing if it may send. */
    readonly resumeSending: (principal: Principal, id: MailboxId) => Effect.Effect<Mailbox, NotFound>
    /** Removes the mailbox, its lists and its webhooks, and frees its address at once. A job removes its messages. */
    readonly remove: (principal: Principal, id: MailboxId) => Effect.Effect<void, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Mailboxes,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const lists = yield* AddressListStore
      const mailboxes = yield* MailboxStore
      const domains = yield* DomainStore
      const webhooks = yield* WebhookStore
      const webhookRemoval = yield* WebhookRemoval
      const health = yield* SendingHealth
      const jobs = yield* JobQueue
      const ids = yield* Ids
      const audit = yield* AuditLog
      const { commit } = yield* UnitOfWork
      const { platformDomain } = yield* Settings

      const find = Effect.fnUntraced(
        function* ({ account, scope }: Principal, id: MailboxId) {
          if (!inScope(scope, id)) return yield* new NotFound({ resource: "mailbox" })
          return yield* Effect.flatten(mailboxes.byId(account.id, id))
        },
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "mailbox" })),
      )

      const record = (
        principal: Principal,
        action: AuditAction,
        { id, fullAddress }: MailboxRecord,
        detail: AuditDetail = {},
      ) =>
        audit.record({
          ...byCaller(principal),
          action,
          target: id,
          detail: { address: fullAddress, ...detail },
        })

      const view = (mailbox: MailboxRecord, { account, scope }: Principal) =>
        Effect.map(Clock.currentTimeMillis, (now) => viewMailbox(mailbox, account.plan, now, scope))

      /** What the plan's limits are compared with, including a mailbox on `domainId`. Call it on a locked account. */
      const planUse = Effect.fnUntraced(function* (
        account: Pick<AccountRecord, "id" | "plan">,
        counted: keyof MailboxCounts,
        domainId: DomainId | null,
      ) {
        const counts = yield* mailboxes.counts(account.id)
        const inUse = new Set(yield* mailboxes.domainsInUse(account.id))
        if (domainId !== null) inUse.add(domainId)
        return { plan: account.plan, mailboxes: counts[counted], customDomains: inUse.size } satisfies PlanUse
      })

      const verifiedDomain = Effect.fnUntraced(
        function* ({ account }: Principal, id: DomainId) {
          const domain = yield* Effect.flatten(domains.byId(account.id, id))
          if (domain.status !== "VERIFIED") return yield* new DomainNotVerified({ domain: domain.domain })
          return domain
        },
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "domain" })),
      )

      return Mailboxes.of({
        list: Effect.fn("Mailboxes.list")(function* (principal) {
          const found = yield* mailboxes.list(principal.account.id, principal.scope)
          const now = yield* Clock.currentTimeMillis
          return found.map((mailbox) => viewMailbox(mailbox, principal.account.plan, now, principal.scope))
        }),

        get: (principal, id) => Effect.flatMap(find(principal, id), (mailbox) => view(mailbox, principal)),

        require: find,

        create: Effect.fn("Mailboxes.create")(function* (principal, wanted) {
          const { domainId } = wanted
          const { account } = principal
          const now = yield* Clock.currentTimeMillis
          const id = MailboxId.make(yield* ids.uuid)
          const mailbox = yield* commit(
            Effect.gen(function* () {
              // Read under the lock: the plan may have changed or the domain been deleted since authentication.
              const locked = yield* lockAccount(accounts, account.id)
              const domain = domainId === null ? null : yield* verifiedDomain(principal, domainId)
              const mailbox = newMailbox({
                id,
                account,
                localPart: wanted.localPart,
                displayName: wanted.displayName,
                domain,
                platformDomain,
                policies: changePolicies(defaultPolicies, wanted.policies),
                now,
              })
              yield* admitMailbox(yield* planUse(locked, "total", domainId), domain !== null)
              yield* mailboxes.insert(mailbox)
              yield* jobs.add({ kind: "provision-mailbox", mailboxId: mailbox.id }, now)
              yield* record(principal, "mailbox.created", mailbox, { ...mailbox.policies })
              return mailbox
            }),
          )
          return yield* view(mailbox, principal)
        }),

        update: Effect.fn("Mailboxes.update")(function* (principal, id, { displayName, status, policies }) {
          yield* find(principal, id)
          if (policies !== undefined) {
            if (principal.scope !== null) return yield* new ScopeForbidden()
            yield* requirePermission(principal, ["manage"])
          }
          const updated = yield* commit(
            Effect.gen(function* () {
              // `lock` finds no deleted account. Until a job has removed its mailboxes, their settings have no effect.
              const [locked = principal.account] = yield* accounts.lock([principal.account.id])
              const [mailbox] = yield* mailboxes.lock([id])
              if (mailbox === undefined) return yield* new NotFound({ resource: "mailbox" })
              const withStatus =
                status === undefined
                  ? mailbox
                  : yield* changeStatus(mailbox, status, yield* planUse(locked, "unpaused", mailbox.domainId))
              const changed = {
                ...withStatus,
                displayName: displayName === undefined ? mailbox.displayName : displayNameOf(displayName),
                policies: changePolicies(mailbox.policies, policies),
              }
              if (isSameMailbox(changed, mailbox)) return mailbox
              const after = { ...changed, updatedAt: yield* Clock.currentTimeMillis }
              yield* mailboxes.save(after)
              if (!arePoliciesEqual(after.policies, mailbox.policies))
                yield* audit.record({
                  ...byCaller(principal),
                  action: "policy.changed",
                  target: id,
                  detail: { ...after.policies },
                })
              return after
            }),
          )
          return yield* view(updated, principal)
        }),

        resumeSending: Effect.fn("Mailboxes.resumeSending")(function* (principal, id) {
          yield* find(principal, id)
          const resumed = yield* commit(
            Effect.gen(function* () {
              yield* lockAccount(accounts, principal.account.id)
              const [mailbox] = yield* mailboxes.lock([id])
              if (mailbox === undefined) return yield* new NotFound({ resource: "mailbox" })
              const after = yield* health.resumed(mailbox)
              if (after !== mailbox) {
                yield* mailboxes.save(after)
                yield* record(principal, "mailbox.sending_resumed", after)
              }
              return after
            }),
          )
          return yield* view(resumed, principal)
        }),

        remove: Effect.fn("Mailboxes.remove")(function* (principal, id) {
          yield* find(principal, id)
          const now = yield* Clock.currentTimeMillis
          yield* commit(
            Effect.gen(function* () {
              const [account] = yield* accounts.lock([principal.account.id])
              const [mailbox] = yield* mailboxes.lock([id])
              if (account === undefined || mailbox === undefined)
                return yield* new NotFound({ resource: "mailbox" })
              yield* mailboxes.remove(id)
              const removedEntries = yield* lists.removeOfMailbox(id)
              for (const webhook of yield* webhooks.list(account.id))
                if (webhook.mailboxId === id) yield* webhookRemoval.remove(webhook.id, now)
              yield* accounts.save({
                ...account,
                overLimitCount: Math.max(0, account.overLimitCount - mailbox.overLimitCount),
                listEntryCount: Math.max(0, account.listEntryCount - removedEntries),
              })
              yield* jobs.add({ kind: "purge-mailbox", accountId: account.id, mailboxId: id }, now)
              yield* record(principal, "mailbox.removed", mailbox)
            }),
          )
        }),
      })
    }),
  )
}
