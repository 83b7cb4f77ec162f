/** Asking for a link by mail, without a word about whether there is such an account (decisions §4). */
import { type AccountRecord, HOUR, LINKS_PER_HOUR, normalizeAddress } from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Ids } from "../ids/Ids.js"
import { addJob } from "../jobs/addJob.js"
import { Vault } from "../ports/Crypto.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { JobStore, type SystemMailSpec } from "../ports/stores/JobStore.js"
import { RateLimitStore } from "../ports/stores/RateLimitStore.js"
import { countUse } from "../rateLimits/uses.js"
import { UnitOfWork } from "../UnitOfWork.js"

type LinkKind = Exclude<SystemMailSpec["kind"], "send-welcome">

const isWanted = (account: AccountRecord, kind: LinkKind): boolean =>
  kind === "send-password-reset" || account.emailVerifiedAt === null

export class LinkRequests extends Context.Tag("@mailroom/LinkRequests")<
  LinkRequests,
  {
    /** Five an hour and address; those beyond are not sent, without saying so. */
    readonly request: (kind: LinkKind, email: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    LinkRequests,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const jobs = yield* JobStore
      const rates = yield* RateLimitStore
      const vault = yield* Vault
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork

      return {
        request: Effect.fn("LinkRequests.request")(function* (kind, given) {
          const email = normalizeAddress(given)
          const now = yield* Clock.currentTimeMillis
          // One commit, whoever asks: how long the answer takes tells as little as what it says.
          yield* commit(
            Effect.gen(function* () {
              const { used } = yield* countUse(rates, `${kind}:${vault.sign(kind, email)}`, HOUR)
              const account = yield* accounts.byEmail(email)
              if (used > LINKS_PER_HOUR || Option.isNone(account) || !isWanted(account.value, kind)) return
              yield* addJob(jobs, ids, { kind, accountId: account.value.id }, now)
            }),
          )
        }),
      }
    }),
  )
}
