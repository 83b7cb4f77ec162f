/**
 * The operator's routes: they read and change any account (`spec: decisions.admin.token`). No account access rules
 * apply.
 */
import {
  type Account,
  AccountId,
  type AccountRecord,
  ADMIN_MATCHES_MAX,
  type AuditAction,
  type AuditDetail,
  type Complaint,
  DAY,
  EventEnvelope,
  InvalidInput,
  type Mailbox,
  type MailboxId,
  type MailboxRecord,
  NotFound,
  operatorActor,
  type Plan,
  planInForce,
  STATS_COUNTED_TO,
  type Stats,
  type StoppedMailbox,
  suspendAccount,
  suspendMailbox,
  timestamp,
  unsuspendAccount,
  unsuspendMailbox,
  viewAccount,
  viewMailbox,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { lockAccount } from "../accounts/lockAccount.js"
import { SendingHealth } from "../reputation/SendingHealth.js"
import { AuditLog } from "../audit/AuditLog.js"
import { PlanChanges } from "../billing/PlanChanges.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import {
  type AccountRow,
  AdminStore,
  type ComplaintPosition,
  type ComplaintRow,
  type StoppedMailboxPosition,
} from "../ports/stores/AdminStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { WebhookStore } from "../ports/stores/WebhookStore.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"

/** A page of a list. `next`: position of the next page; null on the last one. */
export interface AdminPage<A, Position> {
  readonly items: ReadonlyArray<A>
  readonly next: Position | null
}

export class Administration extends Context.Tag("@mailroom/Administration")<
  Administration,
  {
    /**
     * Newest first. `search`: an account id, or the start of an email or slug; null: all accounts. `InvalidInput` when
     * more than 1,000 accounts match.
     */
    readonly accounts: (query: {
      readonly search: string | null
      readonly before: AccountId | null
      readonly limit: number
    }) => Effect.Effect<AdminPage<Account, AccountId>, InvalidInput>
    /** Refuses the account's keys and sessions, ends its streams, refuses its mail, and holds its webhook deliveries. */
    readonly suspendAccount: (id: AccountId, reason: string) => Effect.Effect<Account, NotFound>
    /** Ends a suspension and makes the held webhook deliveries due. */
    readonly unsuspendAccount: (id: AccountId) => Effect.Effect<Account, NotFound>
    /** Sets the plan without payment. Cancels the account's subscription, whose notices change nothing any more. */
    readonly setPlan: (id: AccountId, plan: Plan) => Effect.Effect<Account, NotFound>
    /** Stops a mailbox from sending and receiving. Its owner cannot reactivate it. */
    readonly suspendMailbox: (id: MailboxId, reason: string | null) => Effect.Effect<Mailbox, NotFound>
    /** Makes the mailbox ACTIVE, or paused by billing where the plan has no room for it any more. */
    readonly unsuspendMailbox: (id: MailboxId) => Effect.Effect<Mailbox, NotFound>
    /** As `Mailboxes.resumeSending`, of any account. */
    readonly resumeSending: (id: MailboxId) => Effect.Effect<Mailbox, NotFound>
    /** Complaints about mail of all accounts, newest first, for the retention time of the event log. */
    readonly complaints: (query: {
      readonly before: ComplaintPosition | null
      readonly limit: number
    }) => Effect.Effect<AdminPage<Complaint, ComplaintPosition>>
    /** The mailboxes of all accounts whose sending is stopped, the newest stop first. */
    readonly stoppedMailboxes: (query: {
      readonly before: StoppedMailboxPosition | null
      readonly limit: number
    }) => Effect.Effect<AdminPage<StoppedMailbox, StoppedMailboxPosition>>
    readonly stats: Effect.Effect<Stats>
  }
>() {
  static readonly layer = Layer.effect(
    Administration,
    Effect.gen(function* () {
      const store = yield* AdminStore
      const accounts = yield* AccountStore
      const mailboxes = yield* MailboxStore
      const webhooks = yield* WebhookStore
      const rawMails = yield* RawMailStore
      const planChanges = yield* PlanChanges
      const health = yield* SendingHealth
      const audit = yield* AuditLog
      const { commit } = yield* UnitOfWork
      const { billing } = yield* Settings

      /** Up to `count` ids of matching accounts older than `before`, newest first. */
      const pageOfIds = Effect.fnUntraced(function* (
        search: string | null,
        before: AccountId | null,
        count: number,
      ) {
        if (search === null) return yield* store.newestAccounts(before, count)
        const text = search.toLowerCase()
        const matches = Schema.is(AccountId)(text)
          ? [text]
          : yield* store.accountsStartingWith(text, ADMIN_MATCHES_MAX + 1)
        if (matches.length > ADMIN_MATCHES_MAX)
          return yield* new InvalidInput({
            issues: [
              { path: "q", message: `more than ${ADMIN_MATCHES_MAX} accounts start so; give more of it` },
            ],
          })
        return [...matches]
          .filter((id) => before === null || id < before)
          .sort((a, b) => (a < b ? 1 : -1))
          .slice(0, count)
      })

      const view = ({ account, mailboxes: counts }: AccountRow) =>
        Effect.map(Clock.currentTimeMillis, (now) => viewAccount(account, counts, billing, now))

      /** Runs `change`, which saves the account that it returns, in one transaction on the locked account. */
      const changeAccount = Effect.fnUntraced(function* (
        id: AccountId,
        change: (account: AccountRecord) => Effect.Effect<AccountRecord>,
      ) {
        const account = yield* commit(Effect.flatMap(lockAccount(accounts, id), change))
        return yield* view({ account, mailboxes: yield* mailboxes.counts(id) })
      })

      /**
       * Locks the account and then the mailbox, and saves the mailbox that `change` returns, in one transaction. Returning the
       * mailbox itself changes nothing, and records nothing in the audit trail.
       */
      const changeMailbox = Effect.fnUntraced(function* (
        id: MailboxId,
        action: AuditAction,
        detail: AuditDetail,
        change: (mailbox: MailboxRecord, account: AccountRecord) => Effect.Effect<MailboxRecord>,
      ) {
        const accountId = yield* store.accountOfMailbox(id)
        const now = yield* Clock.currentTimeMillis
        return yield* commit(
          Effect.gen(function* () {
            const [account] = yield* accounts.lock(Option.toArray(accountId))
            const [mailbox] = yield* mailboxes.lock([id])
            if (account === undefined || mailbox === undefined)
              return yield* new NotFound({ resource: "mailbox" })
            const changed = yield* change(mailbox, account)
            const after = changed === mailbox ? mailbox : { ...changed, updatedAt: now }
            if (after !== mailbox) {
              yield* mailboxes.save(after)
              yield* audit.record({ accountId: account.id, actor: operatorActor, action, target: id, detail })
            }
            return viewMailbox(after, account.plan, now, null)
          }),
        )
      })

      const count = (what: Parameters<typeof store.count>[0]) => store.count(what, STATS_COUNTED_TO)

      return Administration.of({
        accounts: Effect.fn("Administration.accounts")(function* ({ search, before, limit }) {
          const ids = yield* pageOfIds(search, before, limit + 1)
          const shown = ids.slice(0, limit)
          const items = yield* Effect.forEach(yield* store.accounts(shown), view)
          return { items, next: ids.length > limit ? (shown.at(-1) ?? null) : null }
        }),

        suspendAccount: Effect.fn("Administration.suspendAccount")(function* (id, reason) {
          const now = yield* Clock.currentTimeMillis
          return yield* changeAccount(id, (account) => {
            const after = suspendAccount(account, reason, now)
            return Effect.as(
              Effect.all([
                accounts.save(after),
                audit.record({
                  accountId: id,
                  actor: operatorActor,
                  action: "account.suspended",
                  target: null,
                  detail: { reason },
                }),
                announce(`account:${id}`),
              ]),
              after,
            )
          })
        }),

        unsuspendAccount: Effect.fn("Administration.unsuspendAccount")((id) =>
          changeAccount(id, (account) => {
            const after = unsuspendAccount(account)
            return Effect.as(
              Effect.all([
                accounts.save(after),
                webhooks.resume(id),
                audit.record({
                  accountId: id,
                  actor: operatorActor,
                  action: "account.resumed",
                  target: null,
                }),
                announce("webhooks"),
              ]),
              after,
            )
          }),
        ),

        setPlan: Effect.fn("Administration.setPlan")((id, plan) =>
          changeAccount(id, (account) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              planChanges.apply(account, { kind: "given", plan }, now, operatorActor),
            ),
          ),
        ),

        suspendMailbox: Effect.fn("Administration.suspendMailbox")((id, reason) =>
          changeMailbox(id, "mailbox.suspended", { reason }, (mailbox) =>
            Effect.succeed(suspendMailbox(mailbox, reason)),
          ),
        ),

        unsuspendMailbox: Effect.fn("Administration.unsuspendMailbox")((id) =>
          changeMailbox(id, "mailbox.resumed", {}, (mailbox, account) =>
            Effect.gen(function* () {
              // `unpaused` includes the suspended mailbox itself.
              const { unpaused } = yield* mailboxes.counts(account.id)
              const customDomains = (yield* mailboxes.domainsInUse(account.id)).length
              const plan = planInForce(account)
              return unsuspendMailbox(mailbox, { plan, mailboxes: unpaused - 1, customDomains })
            }),
          ),
        ),

        resumeSending: Effect.fn("Administration.resumeSending")((id) =>
          changeMailbox(id, "mailbox.sending_resumed", {}, health.resumed),
        ),

        complaints: Effect.fn("Administration.complaints")(function* ({ before, limit }) {
          const rows = yield* store.complaints(before, limit + 1)
          const shown = rows.slice(0, limit)
          const items = yield* Effect.forEach(shown, complaintOf)
          return { items, next: rows.length > limit ? positionOf(shown.at(-1)) : null }
        }),

        stoppedMailboxes: Effect.fn("Administration.stoppedMailboxes")(function* ({ before, limit }) {
          const rows = yield* store.stoppedMailboxes(before, limit + 1)
          const shown = rows.slice(0, limit)
          const last = shown.at(-1)
          return {
            items: shown.map(({ stoppedAt, ...row }) => ({ ...row, at: timestamp(stoppedAt) })),
            next:
              rows.length > limit && last !== undefined
                ? { stoppedAt: last.stoppedAt, mailboxId: last.mailboxId }
                : null,
          }
        }),

        stats: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          return {
            countedTo: STATS_COUNTED_TO,
            accounts: yield* count({ kind: "accounts" }),
            suspendedAccounts: yield* count({ kind: "suspended accounts" }),
            mailboxes: yield* count({ kind: "mailboxes" }),
            stoppedMailboxes: yield* count({ kind: "stopped mailboxes" }),
            messagesToday: yield* count({ kind: "messages", since: now - (now % DAY) }),
            queuedMails: yield* rawMails.backlog(STATS_COUNTED_TO),
            waitingDeliveries: yield* count({ kind: "waiting deliveries" }),
            waitingJobs: yield* count({ kind: "waiting jobs" }),
          }
        }).pipe(Effect.withSpan("Administration.stats")),
      })
    }),
  )
}

const decodeEnvelope = Schema.decode(Schema.parseJson(EventEnvelope))

const complaintOf = ({ event, slug }: ComplaintRow): Effect.Effect<Complaint> =>
  Effect.flatMap(Effect.orDie(decodeEnvelope(event.envelope)), (envelope) =>
    envelope.event === "message.complaint"
      ? Effect.succeed({
          accountId: event.accountId,
          slug,
          mailboxId: event.mailboxId,
          messageId: envelope.data.message_id,
          recipients: envelope.data.complained_recipients,
          at: envelope.data.complained_at,
        })
      : Effect.dieMessage(`event ${event.id} is no complaint`),
  )

const positionOf = (last: ComplaintRow | undefined): ComplaintPosition | null =>
  last === undefined
    ? null
    : { createdAt: last.event.createdAt, accountId: last.event.accountId, seq: last.event.seq }
