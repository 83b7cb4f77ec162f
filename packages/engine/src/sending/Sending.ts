/**
 * Sending a message (spec, Send rules; decisions §3). The message and the quota it uses are recorded in one
 * transaction before the relay is called, and settled in another one after: a refusal gives everything back, and a
 * crash in between never sends twice.
 */
import {
  type AccountRecord,
  accountState,
  addTo,
  admitSend,
  dayOf,
  type MailboxId,
  type MailroomError,
  MESSAGE_MAX_BYTES,
  MessageId,
  monthOf,
  NotFound,
  participantsOf,
  plans,
  type Principal,
  RawMailId,
  recipientsOf,
  RecipientSuppressed,
  returnSend,
  type SendBody,
  sentEvent,
  SizeExceeded,
  StorageFull,
  takeSend,
  ThreadId,
  releaseStorage,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { EventRecorder } from "../events/EventRecorder.js"
import { Ids } from "../ids/Ids.js"
import { INLINE_MAX_BYTES } from "../inbound/rawContent.js"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { Messages } from "../messages/Messages.js"
import { Blobs } from "../ports/Blobs.js"
import { MimeComposer } from "../ports/MimeComposer.js"
import type { RawContent } from "../ports/Reception.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { AttachmentStore } from "../ports/stores/AttachmentStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { SuppressionStore } from "../ports/stores/SuppressionStore.js"
import { type Threadable, ThreadIndex } from "../threads/ThreadIndex.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"
import { MailRouter, type Routed } from "./MailRouter.js"
import { OutgoingAttachments, type OutgoingFiles } from "./OutgoingAttachments.js"
import {
  draftOf,
  headersOf,
  noReply,
  type Outgoing,
  outboundContent,
  replyTo,
  replyToUnknown,
} from "./prepare.js"

export class Sending extends Context.Tag("@mailroom/Sending")<
  Sending,
  {
    /**
     * Sends and returns the message, SENT. Fails with the first gate of decisions §3 that stands in the way; nothing
     * is recorded or counted then.
     */
    readonly send: (
      principal: Principal,
      mailboxId: MailboxId,
      body: SendBody,
    ) => Effect.Effect<MessageRecord, MailroomError>
  }
>() {
  static readonly layer = Layer.effect(
    Sending,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const attachments = yield* AttachmentStore
      const mailboxStore = yield* MailboxStore
      const messageStore = yield* MessageStore
      const rawMails = yield* RawMailStore
      const suppressions = yield* SuppressionStore
      const threadIndex = yield* ThreadIndex
      const mailboxes = yield* Mailboxes
      const messages = yield* Messages
      const files = yield* OutgoingAttachments
      const composer = yield* MimeComposer
      const router = yield* MailRouter
      const events = yield* EventRecorder
      const blobs = yield* Blobs
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const settings = yield* Settings

      /** What the body answers. An id of ours must be there; a foreign one may be unknown. */
      const linksTo = Effect.fnUntraced(function* (
        principal: Principal,
        mailboxId: MailboxId,
        inReplyTo: string,
      ) {
        if (!inReplyTo.startsWith("<"))
          return replyTo(yield* messages.get(principal, mailboxId, MessageId.make(inReplyTo)))
        const parent = yield* messageStore.byRfcId(mailboxId, inReplyTo)
        return Option.match(parent, { onNone: () => replyToUnknown(inReplyTo), onSome: replyTo })
      })

      const keepRaw = Effect.fnUntraced(function* (id: RawMailId, raw: Uint8Array) {
        if (raw.length <= INLINE_MAX_BYTES) return { kind: "inline", bytes: raw } satisfies RawContent
        const key = rawBlobKey(id)
        const { sizeBytes } = yield* blobs.put(key, Stream.make(raw))
        return { kind: "blob", key, sizeBytes } satisfies RawContent
      })

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

      /** First transaction: takes the quota and records the message, hidden. */
      const record = Effect.fnUntraced(function* (
        draft: Outgoing,
        gathered: OutgoingFiles,
        rawId: RawMailId,
        raw: RawContent,
        recipients: ReadonlyArray<string>,
      ) {
        const { mailbox, now } = draft
        const [account] = yield* accounts.lock([mailbox.accountId])
        const [box] = yield* mailboxStore.lock([mailbox.id])
        if (account === undefined || box === undefined) return yield* new NotFound({ resource: "mailbox" })
        // Again, under the lock: between the first look and now others may have sent, paused or paid.
        const state = accountState(account, settings.billing, now)
        yield* admitSend(
          { account, state, mailbox: box, platformDomain: settings.platformDomain },
          recipients,
        )
        const outgoingFiles = yield* files.confirm(account.id, gathered)
        const outgoing: Outgoing = { ...draft, attachments: outgoingFiles.records }
        const charged = yield* takeSend(box, account.plan, settings.sendVelocityPerMinute, now)
        const addedBytes = outgoingFiles.fresh.reduce((sum, file) => sum + file.sizeBytes, 0)
        yield* accounts.save(yield* charge(account, addedBytes, now))
        yield* mailboxStore.save(charged)

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
          labels: outgoing.body.labels ?? [],
          readAt: null,
          sentAt: null,
          createdAt: now,
          dedupKey: null,
          rawId,
        }
        yield* rawMails.insert([{ id: rawId, content: raw, createdAt: now }])
        yield* messageStore.insert([message])
        yield* attachments.insert(outgoingFiles.fresh)
        yield* attachments.attach(outgoingFiles.uploaded, box.id, content.id)
        const { uploaded } = outgoingFiles
        return { message, tookTrialSend: state === "trial", addedBytes, uploaded }
      })

      /** Second transaction when the relay took the mail. */
      const settle = Effect.fnUntraced(function* (
        outgoing: Outgoing,
        message: MessageRecord,
        routed: Routed,
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
            from: outgoing.mailbox.fullAddress,
            to: routed.inside,
            remoteAddress: "",
            helo: settings.platformDomain,
            tls: true,
            receivedAt: sentAt,
          }
          yield* rawMails.enqueue([{ id: yield* ids.uuid, rawId: message.rawId, envelope }])
          yield* announce("mail")
        }
        const envelope = sentEvent(content, outgoing.mailbox, threadId, sentAt)
        yield* events.record([
          { accountId: message.accountId, mailboxId: content.mailboxId, envelope, at: sentAt },
        ])
        return { ...message, status: "SENT", sentAt } satisfies MessageRecord
      })

      /** Second transaction when it did not: as if nothing had been asked. Returns the blobs to forget. */
      const giveBack = Effect.fnUntraced(function* ({
        message,
        tookTrialSend,
        addedBytes,
        uploaded,
      }: Effect.Effect.Success<ReturnType<typeof record>>) {
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
        return [...unused, ...Option.toArray(raw)]
      })

      const send = Effect.fn("Sending.send")(function* (
        principal: Principal,
        mailboxId: MailboxId,
        body: SendBody,
      ) {
        const mailbox = yield* mailboxes.require(principal, mailboxId)
        const links =
          body.inReplyTo === undefined ? noReply : yield* linksTo(principal, mailboxId, body.inReplyTo)
        const { account, state } = principal
        const recipients = recipientsOf(body)
        yield* admitSend({ account, state, mailbox, platformDomain: settings.platformDomain }, recipients)
        const [suppressed] = yield* suppressions.among(account.id, recipients)
        if (suppressed !== undefined) return yield* new RecipientSuppressed({ address: suppressed })

        const now = yield* Clock.currentTimeMillis
        const id = MessageId.make(yield* ids.uuid)
        const outgoingFiles = yield* files.gather(
          principal,
          { mailbox, messageId: id, now },
          body.attachments ?? [],
        )
        const outgoing: Outgoing = {
          id,
          rfcId: `<${id}@${mailbox.fullAddress.slice(mailbox.fullAddress.lastIndexOf("@") + 1)}>`,
          mailbox,
          body,
          links,
          attachments: outgoingFiles.records,
          now,
        }
        const raw = yield* composer.compose(draftOf(outgoing, outgoingFiles.bytes))
        const rawId = RawMailId.make(yield* ids.uuid)
        const recorded = yield* Effect.gen(function* () {
          if (raw.length > MESSAGE_MAX_BYTES)
            return yield* new SizeExceeded({ what: "the encoded message", limitBytes: MESSAGE_MAX_BYTES })
          const content = yield* keepRaw(rawId, raw)
          return yield* commit(record(outgoing, outgoingFiles, rawId, content, recipients))
        }).pipe(Effect.onError(() => blobs.remove([...outgoingFiles.ownBlobs, rawBlobKey(rawId)])))

        const routed = yield* router.route(recipients).pipe(
          Effect.tap((routed) => router.relay(mailbox.fullAddress, routed, raw)),
          Effect.tapError(() => Effect.flatMap(commit(giveBack(recorded)), blobs.remove)),
        )
        return yield* commit(settle(outgoing, recorded.message, routed))
      })

      // A client that hangs up does not undo what the relay may already have taken.
      return {
        send: (principal, mailboxId, body) => Effect.uninterruptible(send(principal, mailboxId, body)),
      }
    }),
  )
}

const rawBlobKey = (id: RawMailId): string => `raw/${id}`
