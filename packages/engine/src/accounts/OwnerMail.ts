/** Sends the mails that jobs ask for to an account's owner, as the account is by then (decisions §4). */
import {
  type AccountRecord,
  type Instant,
  PASSWORD_RESET_TTL,
  type RelayRefused,
  type RelayUnavailable,
  type RelayUncertain,
  VERIFICATION_TTL,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Ids } from "../ids/Ids.js"
import { Vault } from "../ports/Crypto.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore, MailTokenStore, type TokenPurpose } from "../ports/stores/AccountStore.js"
import type { SystemMailSpec } from "../ports/stores/JobStore.js"
import { SystemMail } from "../sending/SystemMail.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { lockAccount } from "./lockAccount.js"
import { passwordResetMail, verificationMail, welcomeMail } from "./ownerMails.js"

export class OwnerMail extends Context.Tag("@mailroom/OwnerMail")<
  OwnerMail,
  {
    /** Does nothing when the account is gone, or verified meanwhile. A link is made when it is sent: it is fresh. */
    readonly send: (
      spec: SystemMailSpec,
    ) => Effect.Effect<void, RelayRefused | RelayUnavailable | RelayUncertain>
  }
>() {
  static readonly layer = Layer.effect(
    OwnerMail,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const tokens = yield* MailTokenStore
      const systemMail = yield* SystemMail
      const vault = yield* Vault
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const { baseUrl, billing } = yield* Settings

      const link = Effect.fnUntraced(function* (
        { id }: AccountRecord,
        purpose: TokenPurpose,
        path: string,
        timeToLive: Instant,
      ) {
        const token = yield* ids.secret(32)
        const now = yield* Clock.currentTimeMillis
        const record = { hash: vault.digest(token), accountId: id, purpose, expiresAt: now + timeToLive }
        yield* commit(Effect.zipRight(lockAccount(accounts, id), tokens.insert(record)))
        return `${baseUrl}${path}?token=${token}`
      })

      const write = (account: AccountRecord, kind: SystemMailSpec["kind"]) => {
        switch (kind) {
          case "send-verification":
            return Effect.map(
              link(account, "verify-email", "/v1/auth/verify-email", VERIFICATION_TTL),
              (url) => verificationMail(account.slug, url),
            )
          case "send-welcome":
            return Effect.succeed(welcomeMail(account.slug, baseUrl, billing !== "none"))
          case "send-password-reset":
            return Effect.map(link(account, "reset-password", "/reset-password", PASSWORD_RESET_TTL), (url) =>
              passwordResetMail(account.slug, url),
            )
        }
      }

      return {
        send: Effect.fn("OwnerMail.send")(function* ({ kind, accountId }) {
          const account = yield* accounts.byId(accountId)
          if (Option.isNone(account)) return
          if (kind === "send-verification" && account.value.emailVerifiedAt !== null) return
          // Without a mail the account was deleted just now.
          const mail = yield* Effect.option(write(account.value, kind))
          if (Option.isSome(mail)) yield* systemMail.send({ to: account.value.email, ...mail.value })
        }),
      }
    }),
  )
}
