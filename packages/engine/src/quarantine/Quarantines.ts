/** Moves received messages into quarantine and out of it (docs/specification/senders.md). */
import {
  accountState,
  byCaller,
  inboundQuota,
  inboundUsage,
  type MailboxId,
  type MessageId,
  InvalidInput,
  type NotFound,
  type OverInboundLimit,
  participantsOf,
  type PermissionDenied,
  type Principal,
  provenAuthor,
  quarantinedEvent,
  type QuarantineRecord,
  receivedEvent,
  timestamp,
  requirePermission,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { lockAccount } from "../accounts/lockAccount.js"
import { AuditLog } from "../audit/AuditLog.js"
import { EventRecorder } from "../events/EventRecorder.js"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { Messages } from "../messages/Messages.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { CorrespondentStore } from "../ports/stores/CorrespondentStore.js"
import { type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { ThreadIndex } from "../threads/ThreadIndex.js"
import { UnitOfWork } from "../UnitOfWork.js"

const refusal = (path: string, message: string) => new InvalidInput({ issues: [{ path, message }] })

export class Quarantines extends Context.Tag("@mailroom/Quarantines")<
  Quarantines,
  {
    /**
     * Hides a received message, and emits `message.quarantined`. Does nothing to one that is quarantined already.
     * `InvalidInput` for a sent message. `PermissionDenied` without `read`, because the message is returned.
     */
    readonly quarantine: (
      principal: Principal,
      mailboxId: MailboxId,
      id: MessageId,
    ) => Effect.Effect<MessageRecord, NotFound | OverInboundLimit | InvalidInput | PermissionDenied>
    /**
     * Shows a quarantined message, remembers its proven author as a correspondent, and emits `message.received`. `InvalidInput` for
     * one that is not quarantined, then `PermissionDenied` without `manage`: the route is that of releasing a claim, which
     * needs less.
     */
    readonly release: (
      principal: Principal,
      mailboxId: MailboxId,
      id: MessageId,
    ) => Effect.Effect<MessageRecord, NotFound | OverInboundLimit | InvalidInput | PermissionDenied>
  }
>() {
  static readonly layer = Layer.effect(
    Quarantines,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const audit = yield* AuditLog
      const correspondents = yield* CorrespondentStore
      const events = yield* EventRecorder
      const mailboxes = yield* Mailboxes
      const messages = yield* Messages
      const store = yield* MessageStore
      const threads = yield* ThreadIndex
      const { commit } = yield* UnitOfWork
      const { billing } = yield* Settings

      /** Locks the account, and then reads the time, the mailbox and the message: no later event has an earlier time. */
      const lock = Effect.fnUntraced(function* (principal: Principal, mailboxId: MailboxId, id: MessageId) {
        const account = yield* lockAccount(accounts, principal.account.id)
        const now = yield* Clock.currentTimeMillis
        const mailbox = yield* mailboxes.require(principal, mailboxId)
        const message = yield* messages.get(principal, mailboxId, id, true)
        const receivedAt = message.content.receivedAt ?? timestamp(message.createdAt)
        return { account, now, mailbox, message, receivedAt }
      })

      return Quarantines.of({
        quarantine: Effect.fn("Quarantines.quarantine")(function* (principal, mailboxId, id) {
          yield* requirePermission(principal, ["read"])
          return yield* commit(
            Effect.gen(function* () {
              const { account, now, mailbox, message, receivedAt } = yield* lock(principal, mailboxId, id)
              if (message.content.direction === "OUTBOUND")
                return yield* refusal("msgId", "is a sent message; only received ones can be quarantined")
              if (message.quarantine !== null) return message
              const quarantine: QuarantineRecord = { at: now, reasons: ["manual"] }
              yield* store.quarantine(id, quarantine)
              const envelope = quarantinedEvent(message.content, receivedAt, mailbox, quarantine, now)
              yield* events.record([{ accountId: account.id, mailboxId, envelope, at: now }])
              yield* audit.record({ ...byCaller(principal), action: "message.quarantined", target: id })
              return { ...message, quarantine }
            }),
          )
        }),

        release: Effect.fn("Quarantines.release")(function* (principal, mailboxId, id) {
          return yield* commit(
            Effect.gen(function* () {
              const { account, now, mailbox, message, receivedAt } = yield* lock(principal, mailboxId, id)
              if (message.quarantine === null)
                return yield* refusal(
                  "token",
                  "is missing: the message is not quarantined, so this releases a claim",
                )
              yield* requirePermission(principal, ["manage"])
              const { content, createdAt, threadId } = message
              if (yield* store.release(id))
                yield* threads.show([
                  { threadId, subject: content.subject, participants: participantsOf(content), createdAt },
                ])
              const address = provenAuthor(content)
              if (address !== null)
                yield* correspondents.remember([
                  { mailboxId, address, heardAt: createdAt, writtenAt: null, approvedAt: null },
                ])
              const quota = inboundQuota(account, accountState(account, billing, now), now)
              const usage = inboundUsage(quota, now)
              const envelope = receivedEvent(content, receivedAt, mailbox, threadId, usage, now)
              yield* events.record([{ accountId: account.id, mailboxId, envelope, at: now }])
              yield* audit.record({
                ...byCaller(principal),
                action: "message.released",
                target: id,
                detail: { reasons: message.quarantine.reasons },
              })
              return { ...message, quarantine: null }
            }),
          )
        }),
      })
    }),
  )
}
