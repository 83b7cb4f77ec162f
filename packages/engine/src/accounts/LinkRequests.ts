/**
 * Requests for links by mail. Responses do not disclose whether an account exists
 * (`spec: decisions.password-reset.always`).
 */
import {
  type AccountRecord,
  HOUR,
  LINKS_PER_HOUR,
  LINKS_PER_HOUR_PER_IP,
  mailboxAddress,
  normalizeAddress,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { JobQueue } from "../jobs/JobQueue.js"
import { Vault } from "../ports/Crypto.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import type { SystemMailSpec } from "../ports/stores/JobStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { RateLimitStore } from "../ports/stores/RateLimitStore.js"
import { addressLimits, countUse, takeUses } from "../rateLimits/uses.js"
import { UnitOfWork } from "../UnitOfWork.js"

type LinkKind = Extract<SystemMailSpec["kind"], "send-verification" | "send-password-reset">

const isWanted = (account: AccountRecord, kind: LinkKind): boolean =>
  kind === "send-password-reset" || account.emailVerifiedAt === null

export class LinkRequests extends Context.Tag("@mailroom/LinkRequests")<
  LinkRequests,
  {
    /**
     * Queues the mail, at most 5 an hour for one email and 30 an hour for one client address (`addressLimits`). Above
     * either limit it sends nothing and still succeeds. Nor does it send to a mailbox of the same account, where the
     * account's keys would read the link.
     */
    readonly request: (kind: LinkKind, email: string, clientAddress: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    LinkRequests,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const jobs = yield* JobQueue
      const mailboxes = yield* MailboxStore
      const rates = yield* RateLimitStore
      const vault = yield* Vault
      const { commit } = yield* UnitOfWork

      return {
        request: Effect.fn("LinkRequests.request")(function* (kind, given, clientAddress) {
          const email = normalizeAddress(given)
          const ofAddress = addressLimits("link", clientAddress, LINKS_PER_HOUR_PER_IP, HOUR)
          const isWithin = yield* Effect.isSuccess(takeUses(rates, "link", ofAddress))
          if (!isWithin) return
          const now = yield* Clock.currentTimeMillis
          // One commit in every case, so that the response time does not disclose whether the account exists.
          yield* commit(
            Effect.gen(function* () {
              const { left } = yield* countUse(rates, {
                key: `${kind}:${vault.sign(kind, email)}`,
                max: LINKS_PER_HOUR,
                window: HOUR,
              })
              const account = yield* accounts.byEmail(email)
              const [mailbox] = yield* mailboxes.byAddresses([mailboxAddress(email)])
              if (left < 0 || Option.isNone(account) || !isWanted(account.value, kind)) return
              if (mailbox?.accountId === account.value.id) return
              yield* jobs.add({ kind, accountId: account.value.id }, now)
            }),
          )
        }),
      }
    }),
  )
}
