/** The webhooks of an account (docs/specification/channels.md). */
import {
  type AccountId,
  byCaller,
  type AuditAction,
  type AuditDetail,
  type EventKind,
  InvalidInput,
  isPublicAddress,
  type MailboxId,
  NotFound,
  type Principal,
  rotateSecret,
  ScopeForbidden,
  startOrPause,
  viewWebhook,
  type Webhook,
  WebhookId,
  webhookHeadersProblem,
  mayDo,
  webhookInScope,
  WebhookLimitReached,
  type WebhookRecord,
  WEBHOOKS_MAX_PER_ACCOUNT,
  webhookUrlProblem,
  withoutExpiredSecret,
} from "@mailroom/domain"
import { Clock, Context, Effect, Encoding, Layer, Struct } from "effect"
import { lockAccount } from "../accounts/lockAccount.js"
import { AuditLog } from "../audit/AuditLog.js"
import { Ids } from "../ids/Ids.js"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { Entropy, Vault } from "../ports/Crypto.js"
import { Dns } from "../ports/Dns.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { WebhookStore } from "../ports/stores/WebhookStore.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"
import { WebhookRemoval } from "./WebhookRemoval.js"

const SECRET_BYTES = 32

type Headers = Readonly<Record<string, string>>

export interface WebhookWanted {
  readonly url: string
  readonly events: ReadonlyArray<EventKind>
  /** null: all mailboxes of the account */
  readonly mailboxId: MailboxId | null
  readonly headers: Headers | null
}

/** Fields that are undefined do not change. */
export interface WebhookChange {
  readonly url: string | undefined
  readonly events: ReadonlyArray<EventKind> | undefined
  /** null removes all headers */
  readonly headers: Headers | null | undefined
  readonly status: "ACTIVE" | "PAUSED" | undefined
}

interface WithSecret {
  readonly webhook: Webhook
  /** the only time that the secret is shown */
  readonly secret: string
}

export class Webhooks extends Context.Tag("@mailroom/Webhooks")<
  Webhooks,
  {
    /** The webhooks in scope, oldest first. */
    readonly list: (principal: Principal) => Effect.Effect<ReadonlyArray<Webhook>>
    readonly get: (principal: Principal, id: WebhookId) => Effect.Effect<Webhook, NotFound>
    /** Reads the record. A webhook out of scope is `NotFound`. */
    readonly require: (principal: Principal, id: WebhookId) => Effect.Effect<WebhookRecord, NotFound>
    /** As `require`, inside a transaction, and locks the webhook until its end. */
    readonly lock: (principal: Principal, id: WebhookId) => Effect.Effect<WebhookRecord, NotFound>
    /** A scoped key creates webhooks for its own mailboxes only. */
    readonly create: (
      principal: Principal,
      wanted: WebhookWanted,
    ) => Effect.Effect<WithSecret, ScopeForbidden | NotFound | InvalidInput | WebhookLimitReached>
    /**
     * A PAUSED webhook attempts no deliveries and gets no new ones. When it is ACTIVE again, it continues with the deliveries
     * that wait. After FAILED, only those that are redelivered go out. A caller who may not manage cannot send the stored headers,
     * which no key can read, to another origin: `InvalidInput` without `headers`.
     */
    readonly update: (
      principal: Principal,
      id: WebhookId,
      change: WebhookChange,
    ) => Effect.Effect<Webhook, NotFound | InvalidInput>
    /** Makes a new secret. The one before it signs too for 24 hours. */
    readonly rotateSecret: (principal: Principal, id: WebhookId) => Effect.Effect<WithSecret, NotFound>
    /** Removes the webhook at once; the outcome of a running attempt is dropped. A job removes its deliveries. */
    readonly remove: (principal: Principal, id: WebhookId) => Effect.Effect<void, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const store = yield* WebhookStore
      const mailboxes = yield* Mailboxes
      const removal = yield* WebhookRemoval
      const dns = yield* Dns
      const vault = yield* Vault
      const entropy = yield* Entropy
      const ids = yield* Ids
      const audit = yield* AuditLog
      const { commit } = yield* UnitOfWork
      const settings = yield* Settings

      const invalid = (path: string, message: string) => new InvalidInput({ issues: [{ path, message }] })

      /** Refuses private addresses. A name that does not resolve yet is accepted: each attempt resolves it again. */
      const checkTarget = Effect.fnUntraced(function* (url: string, accountId: AccountId) {
        const problem = webhookUrlProblem(url, settings.webhookAllowPrivate)
        if (problem !== null) return yield* invalid("url", problem)
        if (settings.webhookAllowPrivate) return
        const addresses = yield* dns
          .addresses(new URL(url).hostname.replace(/^\[|\]$/g, ""), accountId)
          .pipe(Effect.catchTag("DnsFailure", () => Effect.succeed([])))
        if (!addresses.every(isPublicAddress))
          return yield* invalid("url", "must not point to a private address")
      })

      /** Checks custom headers, and seals them for storage. */
      const sealHeaders = Effect.fnUntraced(function* (headers: Headers | null) {
        const headerNames = Object.keys(headers ?? {})
        if (headers === null || headerNames.length === 0) return { headerNames: [], sealedHeaders: null }
        const problem = webhookHeadersProblem(headers, settings.headerPrefix)
        if (problem !== null) return yield* invalid("headers", problem)
        return { headerNames, sealedHeaders: yield* vault.seal(JSON.stringify(headers)) }
      })

      /** Whether a change sends stored headers to another origin. */
      const movesHeaders = (webhook: WebhookRecord, { url, headers }: WebhookChange): boolean =>
        webhook.sealedHeaders !== null &&
        headers === undefined &&
        url !== undefined &&
        new URL(url).origin !== new URL(webhook.url).origin

      const newSecret = Effect.gen(function* () {
        const secret = `whsec_${Encoding.encodeBase64(yield* entropy.bytes(SECRET_BYTES))}`
        return { secret, sealed: yield* vault.seal(secret) }
      })

      const inView =
        (find: (typeof store)["byId"]) =>
        ({ account, scope }: Principal, id: WebhookId) =>
          find(account.id, id).pipe(
            Effect.flatten,
            Effect.filterOrFail((webhook) => webhookInScope(scope, webhook)),
            Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "webhook" })),
          )
      const find = inView(store.byId)
      const lock = inView(store.lock)

      const record = (principal: Principal, action: AuditAction, target: WebhookId, detail?: AuditDetail) =>
        audit.record({
          ...byCaller(principal),
          action,
          target,
          ...(detail !== undefined && { detail }),
        })

      const save = Effect.fnUntraced(function* (changed: WebhookRecord, now: number) {
        const webhook = withoutExpiredSecret({ ...changed, updatedAt: now }, now)
        yield* store.save(webhook)
        return webhook
      })

      return Webhooks.of({
        list: Effect.fn("Webhooks.list")(function* ({ account, scope }) {
          const found = yield* store.list(account.id)
          return found.filter((webhook) => webhookInScope(scope, webhook)).map(viewWebhook)
        }),

        get: (principal, id) => Effect.map(find(principal, id), viewWebhook),

        require: find,

        lock,

        create: Effect.fn("Webhooks.create")(function* (principal, { url, events, mailboxId, headers }) {
          if (mailboxId === null && principal.scope !== null) return yield* new ScopeForbidden()
          yield* checkTarget(url, principal.account.id)
          const sealedHeaders = yield* sealHeaders(headers)
          const { secret, sealed } = yield* newSecret
          const now = yield* Clock.currentTimeMillis
          const webhook: WebhookRecord = {
            id: WebhookId.make(yield* ids.uuid),
            accountId: principal.account.id,
            url,
            mailboxId,
            events: [...new Set(events)],
            ...sealedHeaders,
            sealedSecret: sealed,
            sealedPreviousSecret: null,
            previousSecretUntil: null,
            status: "ACTIVE",
            failureCount: 0,
            lastTriggeredAt: null,
            createdAt: now,
            updatedAt: now,
          }
          yield* commit(
            Effect.gen(function* () {
              // The lock of the account keeps the mailbox and the number of webhooks as they are.
              yield* lockAccount(accounts, webhook.accountId)
              if (mailboxId !== null) yield* mailboxes.require(principal, mailboxId)
              if ((yield* store.list(webhook.accountId)).length >= WEBHOOKS_MAX_PER_ACCOUNT)
                return yield* new WebhookLimitReached({ limit: WEBHOOKS_MAX_PER_ACCOUNT })
              yield* store.insert(webhook)
              yield* record(principal, "webhook.created", webhook.id, {
                url,
                mailboxId,
                events: webhook.events,
              })
            }),
          )
          return { webhook: viewWebhook(webhook), secret }
        }),

        update: Effect.fn("Webhooks.update")(function* (principal, id, change) {
          const { url, events, headers, status } = change
          const fields = Struct.keys(change).filter((field) => change[field] !== undefined)
          if (url !== undefined) yield* checkTarget(url, principal.account.id)
          const sealedHeaders = headers === undefined ? {} : yield* sealHeaders(headers)
          const now = yield* Clock.currentTimeMillis
          const updated = yield* commit(
            Effect.gen(function* () {
              const webhook = yield* lock(principal, id)
              if (fields.length === 0) return webhook
              if (movesHeaders(webhook, change) && !mayDo(principal.permissions, ["manage"]))
                return yield* invalid("headers", "must be sent again with a url of another origin")
              const moved = status === undefined ? webhook : startOrPause(webhook, status)
              yield* announce("webhooks")
              yield* record(principal, "webhook.changed", id, {
                fields,
                ...(url !== undefined && { url }),
                ...(status !== undefined && { status }),
              })
              return yield* save(
                {
                  ...moved,
                  ...sealedHeaders,
                  url: url ?? moved.url,
                  events: events === undefined ? moved.events : [...new Set(events)],
                },
                now,
              )
            }),
          )
          return viewWebhook(updated)
        }),

        rotateSecret: Effect.fn("Webhooks.rotateSecret")(function* (principal, id) {
          const { secret, sealed } = yield* newSecret
          const now = yield* Clock.currentTimeMillis
          const rotated = yield* commit(
            Effect.gen(function* () {
              const webhook = yield* lock(principal, id)
              yield* record(principal, "webhook.secret_rotated", id)
              return yield* save(rotateSecret(webhook, sealed, now), now)
            }),
          )
          return { webhook: viewWebhook(rotated), secret }
        }),

        remove: Effect.fn("Webhooks.remove")(function* (principal, id) {
          const now = yield* Clock.currentTimeMillis
          yield* commit(
            Effect.gen(function* () {
              const { url } = yield* lock(principal, id)
              yield* removal.remove(id, now)
              yield* record(principal, "webhook.removed", id, { url })
            }),
          )
        }),
      })
    }),
  )
}
