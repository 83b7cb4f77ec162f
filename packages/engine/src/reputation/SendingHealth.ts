/**
 * Stops the sending of mailboxes with too many hard bounces or complaints, and resumes it (docs/specification/reputation.md;
 * docs/decisions/0068). A mailbox is judged when a report arrives, and at the send that reaches the minimum of its window.
 */
import {
  type AccountId,
  countedRecipients,
  distanceFromLast,
  type Instant,
  type MailboxRecord,
  reachesMinimum,
  type SendingStopReason,
  serviceActor,
  sendingHealth,
  sendingStoppedEvent,
  sendingWarningEvent,
} from "@mailroom/domain"
import { Context, Effect, Layer, Option } from "effect"
import { AuditLog } from "../audit/AuditLog.js"
import { EventRecorder } from "../events/EventRecorder.js"
import { JobQueue } from "../jobs/JobQueue.js"
import { logLine } from "../mailLog.js"
import { Settings } from "../ports/Settings.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import type { MessageRecord } from "../ports/stores/MessageStore.js"
import {
  type MailboxWindow,
  type RemovedSend,
  SendingHealthStore,
} from "../ports/stores/SendingHealthStore.js"
import { afterCommit } from "../UnitOfWork.js"

/** A recipient whose mail bounced for good, or who complained. The message may have been removed. */
export interface HarmfulSend {
  readonly message: RemovedSend
  readonly recipient: string
  readonly outcome: "bounced" | "complained"
}

export class SendingHealth extends Context.Tag("@mailroom/SendingHealth")<
  SendingHealth,
  {
    /** Inside the transaction that made the message SENT: counts it, and judges its mailbox if that is due. */
    readonly sent: (message: MessageRecord, at: Instant) => Effect.Effect<void>
    /**
     * Inside the transaction that applies new reports, with the accounts locked: counts them, and warns or stops the
     * mailboxes that they are about.
     */
    readonly reported: (harmful: ReadonlyArray<HarmfulSend>, at: Instant) => Effect.Effect<void>
    /**
     * Inside a transaction: the locked mailbox, with its sending allowed again, to be saved by the caller. Its window begins
     * anew; else the mails that stopped it would stop it again. A mailbox that is not stopped does not change, so that nobody
     * can empty a window before it stops the mailbox.
     */
    readonly resumed: (mailbox: MailboxRecord) => Effect.Effect<MailboxRecord>
  }
>() {
  static readonly layer = Layer.effect(
    SendingHealth,
    Effect.gen(function* () {
      const mailboxes = yield* MailboxStore
      const store = yield* SendingHealthStore
      const events = yield* EventRecorder
      const audit = yield* AuditLog
      const jobs = yield* JobQueue
      const { platformDomain } = yield* Settings

      const warn = Effect.fnUntraced(function* (
        accountId: AccountId,
        window: MailboxWindow,
        reason: SendingStopReason,
        at: Instant,
      ) {
        const mailbox = yield* mailboxes.byId(accountId, window.mailboxId)
        if (Option.isNone(mailbox) || mailbox.value.sendingStoppedAt !== null) return
        yield* store.setWarned(window.mailboxId, true)
        const envelope = sendingWarningEvent(mailbox.value, window, reason, at)
        yield* events.record([{ accountId, mailboxId: window.mailboxId, envelope, at }])
      })

      const stop = Effect.fnUntraced(function* (
        accountId: AccountId,
        window: MailboxWindow,
        reason: SendingStopReason,
        at: Instant,
      ) {
        const { mailboxId } = window
        // After the messages: no other transaction locks this mailbox and then a message without the account.
        const [mailbox] = yield* mailboxes.lock([mailboxId])
        if (mailbox === undefined || mailbox.sendingStoppedAt !== null) return
        yield* mailboxes.save({ ...mailbox, sendingStoppedAt: at, sendingStopReason: reason })
        const envelope = sendingStoppedEvent(mailbox, window, reason, at)
        yield* events.record([{ accountId, mailboxId, envelope, at }])
        yield* audit.record({
          accountId,
          actor: serviceActor,
          action: "mailbox.sending_stopped",
          target: mailboxId,
          detail: { address: mailbox.fullAddress, reason },
        })
        yield* jobs.add({ kind: "send-sending-stopped", accountId, mailboxId }, at)
        yield* afterCommit(
          logLine("sending stopped", {
            accountId,
            mailboxId,
            reason,
            sends: window.sends,
            hardBounces: window.hardBounces,
            complaints: window.complaints,
          }),
        )
      })

      /** Warns or stops a mailbox whose window has become `window`. */
      const judge = (accountId: AccountId, window: MailboxWindow, at: Instant): Effect.Effect<void> => {
        const health = sendingHealth(window)
        switch (health.level) {
          case "healthy":
            return window.warned ? store.setWarned(window.mailboxId, false) : Effect.void
          case "warning":
            return window.warned ? Effect.void : warn(accountId, window, health.reason, at)
          case "stop":
            return stop(accountId, window, health.reason, at)
        }
      }

      const sent = Effect.fnUntraced(function* ({ accountId, content }: MessageRecord, at: Instant) {
        const { mailboxId } = content
        const sends = countedRecipients(content, platformDomain).length
        const inWindow = yield* store.countSend({ accountId, mailboxId, messageId: content.id, sends, at })
        if (Option.isNone(inWindow) || !reachesMinimum(inWindow.value, sends)) return
        for (const window of yield* store.windows([mailboxId])) yield* judge(accountId, window, at)
      })

      const reported = Effect.fnUntraced(function* (harmful: ReadonlyArray<HarmfulSend>, at: Instant) {
        const reports = harmful.flatMap(({ message: { content }, recipient, outcome }) => {
          const distance = distanceFromLast(content, recipient, platformDomain)
          return distance === null ? [] : [{ messageId: content.id, distance, outcome }]
        })
        if (reports.length === 0) return
        const owners = new Map(
          harmful.map(({ message }) => [message.content.mailboxId, message.accountId] as const),
        )
        const before = yield* store.windows([...owners.keys()])
        const added = yield* store.addReports(reports)
        for (const window of before) {
          const accountId = owners.get(window.mailboxId)
          const own = added.filter(({ mailboxId }) => mailboxId === window.mailboxId)
          if (accountId === undefined || own.length === 0) continue
          const bounced = own.filter(({ outcome }) => outcome === "bounced").length
          const after = {
            ...window,
            hardBounces: window.hardBounces + bounced,
            complaints: window.complaints + own.length - bounced,
            // Good sends lower the shares and are not judged. If they have made the mailbox healthy, it is warned again.
            warned: window.warned && sendingHealth(window).level !== "healthy",
          }
          yield* judge(accountId, after, at)
        }
      })

      const resumed = (mailbox: MailboxRecord): Effect.Effect<MailboxRecord> =>
        mailbox.sendingStoppedAt === null
          ? Effect.succeed(mailbox)
          : Effect.as(store.restart(mailbox.id), {
              ...mailbox,
              sendingStoppedAt: null,
              sendingStopReason: null,
            })

      return { sent, reported, resumed }
    }),
  )
}
