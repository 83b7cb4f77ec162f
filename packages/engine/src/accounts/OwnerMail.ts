/**
 * The mails that the service itself writes to an account's owner: verification, welcome, password reset, a mailbox whose
 * sending is stopped. Jobs send them.
 */
import {
  type AccountRecord,
  type Instant,
  PASSWORD_RESET_TTL,
  type MailboxRecord,
  NotFound,
  type RelayRefused,
  type RelayUnavailable,
  type RelayUncertain,
  type SendingStopReason,
  VERIFICATION_TTL,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Ids } from "../ids/Ids.js"
import { Vault } from "../ports/Crypto.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore, MailTokenStore, type TokenPurpose } from "../ports/stores/AccountStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import type { SystemMailSpec } from "../ports/stores/JobStore.js"
import { SystemMail } from "../sending/SystemMail.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { lockAccount } from "./lockAccount.js"

interface MailText {
  readonly subject: string
  readonly text: string
}

const lines = (...text: ReadonlyArray<string>): string => [...text, ""].join("\n")

const verificationMail = (slug: string, link: string): MailText => ({
  subject: "Verify your email address",
  text: lines(
    `Somebody, most likely your agent, opened the Mailroom account "${slug}" with this address.`,
    "",
    "If that is fine with you, open this page and press the button:",
    "",
    link,
    "",
    "Until then the account can receive mail but not send any. If you know nothing of it, do nothing.",
  ),
})

/** `hasTrial`: whether the account is on trial until a plan is bought. */
const welcomeMail = (slug: string, baseUrl: string, hasTrial: boolean): MailText => ({
  subject: "Your agent has a mailbox",
  text: lines(
    `Your address is verified, and the Mailroom account "${slug}" is ready. With its API key your agent can now`,
    "",
    "- send mail and answer in the same thread,",
    "- hear of new mail at once, by webhook or as a stream of events,",
    "- open more mailboxes, and make keys for single ones.",
    "",
    ...(hasTrial
      ? [
          "On the trial it writes to you alone; a plan lifts that, and the agent can ask for a link to buy one.",
          "",
        ]
      : []),
    "How it all works:",
    "",
    `${baseUrl}/docs`,
  ),
})

const passwordResetMail = (slug: string, link: string): MailText => ({
  subject: "Set a new password",
  text: lines(
    `Somebody asked for a new password for the Mailroom account "${slug}".`,
    "",
    "If that was you, open this page within an hour and choose one:",
    "",
    link,
    "",
    "It works once, and ends all sessions; API keys stay valid. If it was not you, do nothing: nothing has changed.",
  ),
})

const stopReasons: { readonly [R in SendingStopReason]: string } = {
  BOUNCES: "more than 10 % of its last mails went to addresses that do not exist",
  COMPLAINTS: "more than 0.5 % of its last mails were reported as spam",
}

const sendingStoppedMail = (
  { fullAddress, id }: MailboxRecord,
  reason: SendingStopReason,
  baseUrl: string,
): MailText => ({
  subject: `Sending from ${fullAddress} is stopped`,
  text: lines(
    `The mailbox ${fullAddress} may not send any more, because ${stopReasons[reason]}.`,
    "Other mail servers would soon refuse all of its mail. It still receives.",
    "",
    "First find out to whom it writes, and why. Then let it send again, with a key of full access or in the dashboard:",
    "",
    `POST ${baseUrl}/v1/mailboxes/${id}/resume-sending`,
    "",
    "From then on only new mails count.",
  ),
})

export class OwnerMail extends Context.Tag("@mailroom/OwnerMail")<
  OwnerMail,
  {
    /**
     * Sends the mail of a job, from the account's current row. Links are created here, so they expire counting from the
     * sending. Does nothing when the account is gone, already verified in the case of a verification mail, or when the mailbox
     * of the mail is gone or sends again.
     */
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
      const mailboxes = yield* MailboxStore
      const systemMail = yield* SystemMail
      const vault = yield* Vault
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const { baseUrl, billing } = yield* Settings

      const createLink = Effect.fnUntraced(function* (
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

      const write = (account: AccountRecord, spec: SystemMailSpec): Effect.Effect<MailText, NotFound> => {
        switch (spec.kind) {
          case "send-verification":
            return Effect.map(
              createLink(account, "verify-email", "/v1/auth/verify-email", VERIFICATION_TTL),
              (url) => verificationMail(account.slug, url),
            )
          case "send-welcome":
            return Effect.succeed(welcomeMail(account.slug, baseUrl, billing !== "none"))
          case "send-password-reset":
            return Effect.map(
              createLink(account, "reset-password", "/reset-password", PASSWORD_RESET_TTL),
              (url) => passwordResetMail(account.slug, url),
            )
          case "send-sending-stopped":
            return Effect.flatMap(mailboxes.byId(account.id, spec.mailboxId), (found) => {
              const mailbox = Option.getOrNull(found)
              return mailbox === null || mailbox.sendingStopReason === null
                ? new NotFound({ resource: "mailbox" })
                : Effect.succeed(sendingStoppedMail(mailbox, mailbox.sendingStopReason, baseUrl))
            })
        }
      }

      return {
        send: Effect.fn("OwnerMail.send")(function* (spec) {
          const { kind, accountId } = spec
          const account = yield* accounts.byId(accountId)
          if (Option.isNone(account)) return
          if (kind === "send-verification" && account.value.emailVerifiedAt !== null) return
          // None when the account was deleted after it was read, or the mailbox needs no mail any more.
          const mail = yield* Effect.option(write(account.value, spec))
          if (Option.isSome(mail)) yield* systemMail.send({ to: account.value.email, ...mail.value })
        }),
      }
    }),
  )
}
