/**
 * Moves a recorded message to its final state: SENT, UNKNOWN, or removed (docs/decisions/0042). Each transition requires
 * the state SENDING, so exactly one of several concurrent transactions makes it and has its effects.
 */
import {
  correspondentAddress,
  type DraftRecord,
  type Instant,
  type MessageId,
  NotFound,
  participantsOf,
  type RecipientReport,
  releaseStorage,
  returnSend,
  sentDraftBytes,
  sentEvent,
  UNKNOWN_AFTER,
  totalBytes,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { BlobDrafts } from "../blobs/BlobDrafts.js"
import { EventRecorder } from "../events/EventRecorder.js"
import { setMarker } from "../idempotency/marker.js"
import { insideEnvelope } from "../inbound/authentication.js"
import { InboundQueue } from "../inbound/InboundQueue.js"
import { JobQueue } from "../jobs/JobQueue.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { AttachmentStore } from "../ports/stores/AttachmentStore.js"
import { CorrespondentStore } from "../ports/stores/CorrespondentStore.js"
import { DraftStore } from "../ports/stores/DraftStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { type RawMail, RawMailStore } from "../ports/stores/RawMailStore.js"
import { SendStore } from "../ports/stores/SendStore.js"
import { Reports } from "../reports/Reports.js"
import { SendingHealth } from "../reputation/SendingHealth.js"
import { ThreadIndex } from "../threads/ThreadIndex.js"
import { UnitOfWork } from "../UnitOfWork.js"
import type { RecordedSend } from "./SendRecorder.js"

/** Abandoned sends that one transaction marks UNKNOWN. */
const STALE_BATCH_MAX = 16

/** A mail for recipients in this service. */
export interface InsideMail {
  /** envelope sender; empty for a report */
  readonly from: string
  /** milliseconds after the send until it is delivered */
  readonly after: number
  readonly to: ReadonlyArray<string>
  /** their own copy, to be stored; null: the recorded mail */
  readonly raw: Pick<RawMail, "id" | "content"> | null
  /** size of the mail */
  readonly sizeBytes: number
}

/** The result of relaying a message. */
export interface Relayed {
  /** mails to deliver in this service, in their order */
  readonly inside: ReadonlyArray<InsideMail>
  /** recipients outside that the relay refused, while it accepted others */
  readonly bounces: ReadonlyArray<RecipientReport>
}

const shownOf = ({ content, createdAt }: MessageRecord, threadId: MessageRecord["threadId"]) => ({
  threadId,
  subject: content.subject,
  participants: participantsOf(content),
  createdAt,
})

export class SendOutcomes extends Context.Tag("@mailroom/SendOutcomes")<
  SendOutcomes,
  {
    /**
     * The relay accepted the mail: marks the message SENT and visible, records its event, counts it, and enqueues it
     * for the recipients inside. Idempotent. Also changes UNKNOWN to SENT. `NotFound` when the message or account was deleted.
     */
    readonly markSent: (
      send: RecordedSend,
      relayed: Relayed,
      sentAt: Instant,
    ) => Effect.Effect<MessageRecord, NotFound>
    /**
     * The relay's reply was lost: marks the message UNKNOWN and visible, if it is SENDING, and enqueues it for the recipients
     * inside, whom the relay has nothing to do with. It is never sent again.
     */
    readonly markUnknown: (
      send: RecordedSend,
      inside: ReadonlyArray<InsideMail>,
      at: Instant,
    ) => Effect.Effect<void>
    /**
     * The relay accepted the mail for no recipient: removes the message and returns its quota, storage and uploads, and the
     * draft that it was made of.
     * Idempotent.
     */
    readonly rollback: (send: RecordedSend) => Effect.Effect<void>
    /** Marks the next batch of abandoned sends UNKNOWN: their process stopped before it stored the relay's reply. */
    readonly recoverStale: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    SendOutcomes,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const attachments = yield* AttachmentStore
      const correspondents = yield* CorrespondentStore
      const blobDrafts = yield* BlobDrafts
      const draftStore = yield* DraftStore
      const mailboxes = yield* MailboxStore
      const messageStore = yield* MessageStore
      const rawMails = yield* RawMailStore
      const sends = yield* SendStore
      const threadIndex = yield* ThreadIndex
      const events = yield* EventRecorder
      const reports = yield* Reports
      const health = yield* SendingHealth
      const jobs = yield* JobQueue
      const queue = yield* InboundQueue
      const { commit } = yield* UnitOfWork
      const { platformDomain } = yield* Settings

      /** Puts mails into the inbound queue for recipients inside, with their own copies of the bytes if they have some. */
      const deliverInside = Effect.fnUntraced(function* (
        { rawId: recorded }: MessageRecord,
        mails: ReadonlyArray<InsideMail>,
        sentAt: Instant,
      ) {
        const copies = mails.flatMap(({ raw }) => (raw === null ? [] : [{ ...raw, createdAt: sentAt }]))
        if (copies.length > 0) yield* rawMails.insert(copies)
        const keys = copies.flatMap(({ content }) => (content.kind === "blob" ? [content.key] : []))
        if (keys.length > 0) yield* blobDrafts.end(keys)
        yield* queue.enqueue(
          mails.flatMap(({ from, to, after, raw, sizeBytes }) => {
            const rawId = raw?.id ?? recorded
            const envelope = insideEnvelope(from, to, platformDomain, sentAt + after)
            return rawId === null ? [] : [{ rawId, envelope, sizeBytes }]
          }),
        )
      })

      /** Remembers the recipients to whom the mailbox had not written before. Most often there are none, and no statement. */
      const rememberWritten = ({ mailbox, newRecipients }: RecordedSend, sentAt: Instant) =>
        correspondents.remember(
          newRecipients.flatMap((recipient) => {
            const address = correspondentAddress(recipient)
            return address === null
              ? []
              : [{ mailboxId: mailbox.id, address, heardAt: null, writtenAt: sentAt, approvedAt: null }]
          }),
        )

      /** Changes the message to SENT. Returns its thread; none when another transaction did so before. */
      const transition = Effect.fnUntraced(function* (message: MessageRecord, sentAt: Instant) {
        const { id, inReplyTo } = message.content
        const threadId = yield* sends.markSent(message.accountId, id, sentAt)
        if (Option.isNone(threadId)) {
          const [owner] = yield* accounts.lock([message.accountId])
          return owner === undefined ? Option.none() : yield* sends.markFoundSent(id, sentAt)
        }
        const shown = shownOf(message, threadId.value)
        yield* inReplyTo === null ? threadIndex.showFirst(shown) : threadIndex.show([shown])
        return threadId
      })

      const markSent = Effect.fnUntraced(function* (
        send: RecordedSend,
        { inside, bounces }: Relayed,
        sentAt: Instant,
      ) {
        const { message, mailbox } = send
        const { id, mailboxId } = message.content
        const threadId = yield* transition(message, sentAt)
        if (Option.isNone(threadId)) {
          // An earlier call marked it: its COMMIT succeeded but the reply of the database was lost.
          const before = yield* messageStore.byId(mailboxId, id)
          return yield* Effect.mapError(before, () => new NotFound({ resource: "mailbox" }))
        }
        yield* rememberWritten(send, sentAt)
        if (inside.length > 0) yield* deliverInside(message, inside, sentAt)
        const envelope = sentEvent(message.content, mailbox, threadId.value, sentAt)
        yield* events.record([{ accountId: message.accountId, mailboxId, envelope, at: sentAt }])
        yield* health.sent(message, sentAt)
        if (bounces.length > 0)
          yield* Effect.orDie(
            reports.apply([
              { messageId: id, recipient: null, report: { recipients: bounces, returnPath: null } },
            ]),
          )
        return { ...message, threadId: threadId.value, status: "SENT", sentAt } satisfies MessageRecord
      })

      /** Returns the messages that it changed. */
      const markUnknown = Effect.fnUntraced(function* (messages: ReadonlyArray<MessageRecord>) {
        yield* accounts.lock([...new Set(messages.map(({ accountId }) => accountId))])
        const byId = new Map<MessageId, MessageRecord>(
          messages.map((message) => [message.content.id, message]),
        )
        const changed = yield* sends.markUnknown([...byId.keys()])
        const unknown = changed.flatMap(({ id, threadId }) => {
          const message = byId.get(id)
          return message === undefined ? [] : [{ message, threadId }]
        })
        if (unknown.length > 0)
          yield* threadIndex.show(unknown.map(({ message, threadId }) => shownOf(message, threadId)))
        return unknown.map(({ message }) => message)
      })

      /** Stores a draft again. Its `clientId` may have a new draft meanwhile, which keeps it. */
      const bringBack = Effect.fnUntraced(function* (draft: DraftRecord) {
        const { clientId, mailboxId } = draft
        const other = clientId === null ? Option.none() : yield* draftStore.byClientId(mailboxId, clientId)
        yield* draftStore.insert(Option.isNone(other) ? draft : { ...draft, clientId: null })
      })

      const rollback = Effect.fnUntraced(function* (send: RecordedSend) {
        const { message, tookTrialSend, addedBytes, uploaded, draft, submitted } = send
        const { content, createdAt: takenAt, rawId } = message
        yield* setMarker({ kind: "withdrawn", messageId: content.id })
        const [account] = yield* accounts.lock([message.accountId])
        const [mailbox] = yield* mailboxes.lock([content.mailboxId])
        if (!(yield* sends.withdraw(content.id))) return []
        // The send may have started its thread.
        const { accountId, threadId } = message
        yield* jobs.add({ kind: "remove-thread", accountId, threadId }, yield* Clock.currentTimeMillis)
        // The mailbox was deleted meanwhile, and with it the draft.
        const isLost = draft !== null && mailbox === undefined
        const released = isLost
          ? totalBytes(content.attachments)
          : addedBytes - (draft === null ? 0 : sentDraftBytes(draft))
        if (account !== undefined)
          yield* accounts.save({
            ...returnSend(releaseStorage(account, released), takenAt),
            trialSends: account.trialSends - (tookTrialSend ? 1 : 0),
          })
        if (mailbox !== undefined) yield* mailboxes.save(returnSend(mailbox, takenAt))
        const unused = yield* attachments.detach(content.id, isLost ? [] : uploaded, draft)
        if (draft !== null && !isLost) yield* bringBack(draft)
        if (submitted !== null && !isLost) {
          yield* attachments.insert([submitted])
          yield* blobDrafts.end([submitted.blobKey])
        }
        const raws = rawId === null ? [] : yield* rawMails.removeUnused([rawId])
        const keys = [...unused, ...raws]
        yield* blobDrafts.begin(keys)
        return keys
      })

      return {
        markSent: (send, relayed, sentAt) => commit(markSent(send, relayed, sentAt)),
        markUnknown: ({ message }, inside, at) =>
          commit(
            Effect.flatMap(markUnknown([message]), (changed) =>
              changed.length > 0 && inside.length > 0 ? deliverInside(message, inside, at) : Effect.void,
            ),
          ),
        rollback: (send) => Effect.flatMap(commit(rollback(send)), blobDrafts.discard),
        recoverStale: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const stale = yield* messageStore.stale(now - UNKNOWN_AFTER, STALE_BATCH_MAX)
          if (stale.length === 0) return
          for (const { accountId, content } of yield* commit(markUnknown(stale)))
            yield* Effect.logWarning("A send has no recorded end: the relay may have taken the mail", {
              messageId: content.id,
              accountId,
              mailboxId: content.mailboxId,
            })
        }),
      }
    }),
  )
}
