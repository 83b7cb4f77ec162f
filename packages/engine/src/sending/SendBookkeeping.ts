/**
 * The bookkeeping of a send (spec, Send rules 1; decisions §3): one transaction takes the quota and records the
 * message, another one settles it or gives everything back.
 */
import {
  type AccountRecord,
  accountState,
  addTo,
  admitSend,
  admitTurn,
  type AttachmentId,
  type AttachmentUnknown,
  dayOf,
  LOOP_TURNS_MAX,
  loopWindow,
  type MailboxRecord,
  type MailLoopCut,
  monthOf,
  NotFound,
  participantsOf,
  plans,
  recipientsOf,
  releaseStorage,
  returnSend,
  type SendQuotaError,
  type SendRefusal,
  sentEvent,
  StorageFull,
  takeSend,
  ThreadId,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { reach } from "../idempotency/progress.js"
import { EventRecorder } from "../events/EventRecorder.js"
import { Ids } from "../ids/Ids.js"
import { InboundQueue } from "../inbound/InboundQueue.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { AttachmentStore } from "../ports/stores/AttachmentStore.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { type RawMail, RawMailStore } from "../ports/stores/RawMailStore.js"
import { type Threadable, ThreadIndex } from "../threads/ThreadIndex.js"
import { UnitOfWork } from "../UnitOfWork.js"
import type { Routed } from "./MailRouter.js"
import { OutgoingAttachments, type OutgoingFiles } from "./OutgoingAttachments.js"
import { senderDomain, statusForSender } from "./senderDomain.js"
import { headersOf, type Outgoing, outboundContent } from "./prepare.js"

/** A message that is being sent, and what has to be given back when it is not. */
export interface RecordedSend {
  readonly message: MessageRecord
  readonly tookTrialSend: boolean
  readonly addedBytes: number
  /** uploads that became the message's own */
  readonly uploaded: ReadonlyArray<AttachmentId>
}

export class SendBookkeeping extends Context.Tag("@mailroom/SendBookkeeping")<
  SendBookkeeping,
  {
    /** Before the relay is called: judges the sender under the lock, takes the quota, records the message, hidden. */
    readonly record: (
      draft: Outgoing,
      files: OutgoingFiles,
      raw: Pick<RawMail, "id" | "content">,
    ) => Effect.Effect<
      RecordedSend,
      NotFound | SendRefusal | MailLoopCut | SendQuotaError | AttachmentUnknown | StorageFull
    >
    /** When the relay took the mail: shows the message, tells of it, and delivers it to the recipients inside. */
    readonly settle: (
      message: MessageRecord,
      mailbox: MailboxRecord,
      routed: Routed,
      sizeBytes: number,
    ) => Effect.Effect<MessageRecord, NotFound>
    /** When nobody knows whether it did: shown as UNKNOWN, and never sent again by itself (decisions §2). */
    readonly lose: (messages: ReadonlyArray<MessageRecord>) => Effect.Effect<void>
    /** When it did not: as if nothing had been asked. Returns the blobs to forget. */
    readonly giveBack: (recorded: RecordedSend) => Effect.Effect<ReadonlyArray<string>>
  }
>() {
  static readonly layer = Layer.effect(
    SendBookkeeping,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const attachments = yield* AttachmentStore
      const domains = yield* DomainStore
      const mailboxStore = yield* MailboxStore
      const messageStore = yield* MessageStore
      const rawMails = yield* RawMailStore
      const queue = yield* InboundQueue
      const threadIndex = yield* ThreadIndex
      const files = yield* OutgoingAttachments
      const events = yield* EventRecorder
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const settings = yield* Settings

      /** The account after it took one send and stored these bytes, or why it cannot. */
      const charge = (account: AccountRecord, addedBytes: number, now: number) => {
        const limitBytes = plans[account.plan].storageBytes
        const storageUsedBytes = account.storageUsedBytes + addedBytes
        if (addedBytes > 0 && storageUsedBytes > limitBytes)
          return new StorageFull({ usedBytes: account.storageUsedBytes, limitBytes })
        const inTrial = accountState(account, settings.billing, now) === "trial"
        return Effect.succeed<AccountRecord>({
          ...account,
          storageUsedBytes,
          trialSends: account.trialSends + (inTrial ? 1 : 0),
          sentDay: addTo(account.sentDay, dayOf(now), 1),
          sentMonth: addTo(account.sentMonth, monthOf(now), 1),
        })
      }

      /** The account is locked: nobody takes a turn meanwhile. */
      const admitNextTurn = Effect.fnUntraced(function* (threadId: ThreadId, now: number) {
        const turns = yield* messageStore.automaticTurns(threadId, loopWindow(now), LOOP_TURNS_MAX)
        yield* admitTurn({ count: turns.length, oldest: turns[0] ?? now }, now)
      })

      const record = Effect.fnUntraced(function* (
        draft: Outgoing,
        gathered: OutgoingFiles,
        raw: Pick<RawMail, "id" | "content">,
      ) {
        const { mailbox, now, answered, automaticTurn } = draft
        const [account] = yield* accounts.lock([mailbox.accountId])
        const [box] = yield* mailboxStore.lock([mailbox.id])
        if (account === undefined || box === undefined) return yield* new NotFound({ resource: "mailbox" })
        // Again, under the lock: between the first look and now others may have sent, paused or paid.
        const state = accountState(account, settings.billing, now)
        yield* admitSend(
          {
            account,
            state,
            mailbox: box,
            domainStatus: statusForSender(box, yield* senderDomain(domains, box)),
            platformDomain: settings.platformDomain,
          },
          recipientsOf(draft.body),
        )
        const outgoingFiles = yield* files.confirm(account.id, gathered)
        const outgoing: Outgoing = { ...draft, attachments: outgoingFiles.records }
        const addedBytes = outgoingFiles.fresh.reduce((sum, file) => sum + file.sizeBytes, 0)
        const charged = yield* charge(account, addedBytes, now)
        if (automaticTurn && answered !== null) yield* admitNextTurn(answered.threadId, now)
        yield* mailboxStore.save(yield* takeSend(box, account.plan, settings.sendVelocityPerMinute, now))
        yield* accounts.save(charged)

        const content = outboundContent(outgoing)
        const threadable: Threadable = {
          accountId: account.id,
          mailboxId: box.id,
          ownAddress: box.fullAddress,
          links: {
            messageId: content.messageId,
            inReplyTo: content.inReplyTo === null ? [] : [content.inReplyTo],
            references: content.references,
          },
          rfcId: content.messageId,
          subject: content.subject,
          participants: participantsOf(content),
          createdAt: now,
          visible: false,
        }
        const placing = yield* threadIndex.open([threadable])
        placing.place(threadable, ThreadId.make(yield* ids.uuid))
        yield* placing.save
        const message: MessageRecord = {
          accountId: account.id,
          content,
          headers: headersOf(outgoing),
          threadId: placing.threadOf(threadable),
          status: "SENDING",
          gate: null,
          labels: [...new Set(outgoing.body.labels)],
          readAt: null,
          sentAt: null,
          createdAt: now,
          dedupKey: null,
          rawId: raw.id,
          automaticTurn,
        }
        yield* rawMails.insert([{ ...raw, createdAt: now }])
        yield* messageStore.insert([message])
        yield* attachments.insert(outgoingFiles.fresh)
        yield* attachments.attach(outgoingFiles.uploaded, box.id, content.id)
        yield* reach({ kind: "sending", mailboxId: box.id, messageId: content.id })
        const { uploaded } = outgoingFiles
        return { message, tookTrialSend: state === "trial", addedBytes, uploaded } satisfies RecordedSend
      })

      const settle = Effect.fnUntraced(function* (
        message: MessageRecord,
        mailbox: MailboxRecord,
        routed: Routed,
        sizeBytes: number,
      ) {
        const sentAt = yield* Clock.currentTimeMillis
        const { content, threadId } = message
        // Deleted while the relay was at work: nobody is left to keep books for.
        const [account] = yield* accounts.lock([message.accountId])
        if (account === undefined) return yield* new NotFound({ resource: "mailbox" })
        yield* messageStore.setStatus(content.id, "SENT", sentAt)
        yield* threadIndex.show([
          {
            threadId,
            subject: content.subject,
            participants: participantsOf(content),
            createdAt: message.createdAt,
          },
        ])
        if (routed.inside.length > 0 && message.rawId !== null) {
          const envelope = {
            from: mailbox.fullAddress,
            to: routed.inside,
            remoteAddress: "",
            helo: settings.platformDomain,
            tls: true,
            receivedAt: sentAt,
          }
          yield* queue.enqueue([{ rawId: message.rawId, envelope, sizeBytes }])
        }
        const envelope = sentEvent(content, mailbox, threadId, sentAt)
        yield* events.record([
          { accountId: message.accountId, mailboxId: content.mailboxId, envelope, at: sentAt },
        ])
        return { ...message, status: "SENT", sentAt } satisfies MessageRecord
      })

      const lose = Effect.fnUntraced(function* (messages: ReadonlyArray<MessageRecord>) {
        for (const { content, threadId, createdAt } of messages) {
          yield* messageStore.setStatus(content.id, "UNKNOWN", null)
          yield* threadIndex.show([
            { threadId, createdAt, subject: content.subject, participants: participantsOf(content) },
          ])
        }
      })

      const giveBack = Effect.fnUntraced(function* ({
        message,
        tookTrialSend,
        addedBytes,
        uploaded,
      }: RecordedSend) {
        const { content, createdAt: takenAt, rawId } = message
        const [account] = yield* accounts.lock([message.accountId])
        const [mailbox] = yield* mailboxStore.lock([content.mailboxId])
        if (account !== undefined)
          yield* accounts.save({
            ...returnSend(releaseStorage(account, addedBytes), takenAt),
            trialSends: account.trialSends - (tookTrialSend ? 1 : 0),
          })
        if (mailbox !== undefined) yield* mailboxStore.save(returnSend(mailbox, takenAt))
        yield* messageStore.withdraw(content.id)
        const unused = yield* attachments.detach(content.id, uploaded)
        const raw = rawId === null ? Option.none<string>() : yield* rawMails.removeIfUnused(rawId)
        yield* reach({ kind: "undone" })
        return [...unused, ...Option.toArray(raw)]
      })

      return {
        record: (draft, gathered, raw) => commit(record(draft, gathered, raw)),
        settle: (message, mailbox, routed, sizeBytes) => commit(settle(message, mailbox, routed, sizeBytes)),
        lose: (messages) => commit(lose(messages)),
        giveBack: (recorded) => commit(giveBack(recorded)),
      }
    }),
  )
}
