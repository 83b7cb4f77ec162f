/** Registering webhooks (spec, Webhook; decisions §7). */
import {
  type EventKind,
  InvalidInput,
  isPublicAddress,
  type MailboxId,
  type NotFound,
  type Principal,
  ScopeForbidden,
  viewWebhook,
  type Webhook,
  webhookHeadersProblem,
  WebhookId,
  webhookUrlProblem,
} from "@mailroom/domain"
import { Clock, Context, Effect, Encoding, Layer } from "effect"
import { Ids } from "../ids/Ids.js"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { Entropy, Vault } from "../ports/Crypto.js"
import { Dns } from "../ports/Dns.js"
import { Settings } from "../ports/Settings.js"
import { WebhookStore } from "../ports/stores/WebhookStore.js"
import { UnitOfWork } from "../UnitOfWork.js"

const SECRET_BYTES = 32

export interface WebhookWanted {
  readonly url: string
  readonly events: ReadonlyArray<EventKind>
  /** null: all mailboxes of the account */
  readonly mailboxId: MailboxId | null
  readonly headers: Readonly<Record<string, string>> | null
}

export class Webhooks extends Context.Tag("@mailroom/Webhooks")<
  Webhooks,
  {
    /** The secret is returned here and never again. A scoped key makes webhooks for its own mailboxes only. */
    readonly create: (
      principal: Principal,
      wanted: WebhookWanted,
    ) => Effect.Effect<
      { readonly webhook: Webhook; readonly secret: string },
      ScopeForbidden | NotFound | InvalidInput
    >
  }
>() {
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const mailboxes = yield* Mailboxes
      const dns = yield* Dns
      const vault = yield* Vault
      const entropy = yield* Entropy
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const settings = yield* Settings

      const invalid = (path: string, message: string) => new InvalidInput({ issues: [{ path, message }] })

      /** A name that does not resolve yet is fine: every attempt looks again. */
      const checkTarget = Effect.fnUntraced(function* (url: string) {
        const problem = webhookUrlProblem(url, settings.webhookAllowPrivate)
        if (problem !== null) return yield* invalid("url", problem)
        if (settings.webhookAllowPrivate) return
        const addresses = yield* dns
          .addresses(new URL(url).hostname.replace(/^\[|\]$/g, ""))
          .pipe(Effect.catchTag("DnsFailure", () => Effect.succeed([])))
        if (!addresses.every(isPublicAddress))
          return yield* invalid("url", "must not point to a private address")
      })

      return {
        create: Effect.fn("Webhooks.create")(function* (principal, { url, events, mailboxId, headers }) {
          if (mailboxId === null && principal.scope !== null) return yield* new ScopeForbidden()
          yield* checkTarget(url)
          const problem = headers === null ? null : webhookHeadersProblem(headers, settings.headerPrefix)
          if (problem !== null) return yield* invalid("headers", problem)
          if (mailboxId !== null) yield* mailboxes.require(principal, mailboxId)
          const secret = `whsec_${Encoding.encodeBase64(yield* entropy.bytes(SECRET_BYTES))}`
          const now = yield* Clock.currentTimeMillis
          const names = Object.keys(headers ?? {})
          const record = {
            id: WebhookId.make(yield* ids.uuid),
            accountId: principal.account.id,
            url,
            mailboxId,
            events: [...new Set(events)],
            sealedHeaders: names.length === 0 ? null : yield* vault.seal(JSON.stringify(headers)),
            headerNames: names,
            sealedSecret: yield* vault.seal(secret),
            status: "ACTIVE" as const,
            failureCount: 0,
            lastTriggeredAt: null,
            createdAt: now,
            updatedAt: now,
          }
          yield* commit(store.insert(record))
          return { webhook: viewWebhook(record), secret }
        }),
      }
    }),
  )
}
