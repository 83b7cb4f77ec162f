/** The transaction of the deliver stage: a batch of read mails becomes messages, threads, counters and events. */
import {
  accountState,
  type AccountId,
  type AccountRecord,
  addTo,
  AttachmentId,
  type AttachmentRecord,
  countReceived,
  inboundContent,
  type InboundGate,
  inboundGate,
  inboundQuota,
  type InboundQuota,
  inboundUsage,
  type Instant,
  linksOf,
  type MailboxRecord,
  type MessageContent,
  MessageId,
  monthOf,
  monthTurned,
  normalizeAddress,
  participantsOf,
  reachedUsage,
  receivedEvent,
  stubEvent,
  ThreadId,
  timestamp,
  upgradeAt,
  viewAttachment,
  withoutTag,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { EventRecorder, type Happening } from "../events/EventRecorder.js"
import { Ids } from "../ids/Ids.js"
import { addJob } from "../jobs/addJob.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { AttachmentStore } from "../ports/stores/AttachmentStore.js"
import { JobStore } from "../ports/stores/JobStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { type Threadable, ThreadIndex } from "../threads/ThreadIndex.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { GatedMessages } from "./GatedMessages.js"
import type { ReadMail } from "./readMail.js"

/** One mail for one mailbox. */
interface Arriving {
  readonly mail: ReadMail
  readonly mailbox: MailboxRecord
  readonly content: MessageContent
  readonly files: ReadonlyArray<AttachmentRecord>
  readonly dedupKey: string | null
  readonly gate: InboundGate | null
  readonly threadable: Threadable
  /** of the account, this mail counted */
  readonly quota: InboundQuota
}

export class Deliverer extends Context.Tag("@mailroom/Deliverer")<
  Deliverer,
  {
    /** Delivers those mails of the batch that are still leased until `leaseUntil`: each at most once. */
    readonly deliver: (batch: ReadonlyArray<ReadMail>, leaseUntil: Instant) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Deliverer,
    Effect.gen(function* () {
      const accountStore = yield* AccountStore
      const attachmentStore = yield* AttachmentStore
      const mailboxStore = yield* MailboxStore
      const messageStore = yield* MessageStore
      const rawMails = yield* RawMailStore
      const jobs = yield* JobStore
      const threadIndex = yield* ThreadIndex
      const events = yield* EventRecorder
      const gated = yield* GatedMessages
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const { billing, platformDomain, baseUrl } = yield* Settings

      /** The mailboxes and accounts these mails are for, locked, as they are now. */
      const lockRecipients = Effect.fnUntraced(function* (mails: ReadonlyArray<ReadMail>, now: Instant) {
        const addresses = new Set(mails.flatMap((mail) => mail.queued.envelope.to.map(recipientOf)))
        const found = yield* mailboxStore.byAddresses([...addresses])
        const locked = yield* accountStore.lock([...new Set(found.map((mailbox) => mailbox.accountId))])
        const accounts = new Map<AccountId, AccountRecord>()
        for (const account of locked)
          accounts.set(
            account.id,
            monthTurned(account, now) ? yield* gated.unlock(account.id, "INBOUND_LIMIT_EXCEEDED") : account,
          )
        const mailboxes = yield* mailboxStore.lock(found.map((mailbox) => mailbox.id))
        return { accounts, mailboxes: new Map(mailboxes.map((mailbox) => [mailbox.fullAddress, mailbox])) }
      })

      /** The copies that are stored already, by mailbox and fingerprint. */
      const storedCopies = Effect.fnUntraced(function* (
        mails: ReadonlyArray<ReadMail>,
        mailboxes: ReadonlyMap<string, MailboxRecord>,
      ) {
        const probes = mails.flatMap((mail) => {
          const dedupKey = dedupKeyOf(mail)
          return dedupKey === null
            ? []
            : recipientsIn(mail, mailboxes).map((mailbox) => ({ mailboxId: mailbox.id, dedupKey }))
        })
        const stored = probes.length === 0 ? [] : yield* messageStore.stored(probes)
        return new Set(stored.map(copyKey))
      })

      const newMessage = Effect.fnUntraced(function* (mail: ReadMail, mailbox: MailboxRecord, now: Instant) {
        const id = MessageId.make(yield* ids.uuid)
        const files = yield* Effect.forEach(
          mail.files,
          ({ filename, contentType, contentId, sizeBytes, blobKey }) =>
            Effect.map(ids.uuid, (fileId) => ({
              id: AttachmentId.make(fileId),
              accountId: mailbox.accountId,
              mailboxId: mailbox.id,
              messageId: id,
              filename,
              contentType,
              sizeBytes,
              contentId,
              blobKey,
              createdAt: now,
            })),
        )
        const { envelope } = mail.queued
        const content = inboundContent({
          id,
          mailboxId: mailbox.id,
          parsed: mail.parsed,
          envelopeFrom: envelope.from,
          fallbackMessageId: `<${id}@${platformDomain}>`,
          receivedAt: envelope.receivedAt,
          createdAt: now,
          attachments: files.map(viewAttachment),
          dropped: mail.dropped,
        })
        return { content, files }
      })

      /** Mail that became no message, a copy or one whose mailbox is gone by now, leaves nothing behind. */
      const forget = Effect.fnUntraced(function* (mails: ReadonlyArray<ReadMail>, now: Instant) {
        for (const { queued, files } of mails) {
          const rawBlob = yield* rawMails.removeIfUnused(queued.raw.id)
          const keys = [...Option.toArray(rawBlob), ...files.map((file) => file.blobKey)]
          if (keys.length === 0) continue
          yield* addJob(jobs, ids, { kind: "remove-blobs", keys }, now)
        }
      })

      const deliver = Effect.fnUntraced(function* (batch: ReadonlyArray<ReadMail>, leaseUntil: Instant) {
        const now = yield* Clock.currentTimeMillis
        const finished = yield* rawMails.finish(
          batch.map((mail) => mail.queued.id),
          leaseUntil,
        )
        const ours = new Set(finished)
        const mails = batch.filter((mail) => ours.has(mail.queued.id))
        const { accounts, mailboxes } = yield* lockRecipients(mails, now)
        const copies = yield* storedCopies(mails, mailboxes)
        const received = new Map<MailboxRecord["id"], MailboxRecord>()
        const arriving: Array<Arriving> = []

        for (const mail of mails)
          for (const mailbox of recipientsIn(mail, mailboxes)) {
            const account = accounts.get(mailbox.accountId)
            if (account === undefined) continue
            const dedupKey = dedupKeyOf(mail)
            const copy = dedupKey === null ? null : copyKey({ mailboxId: mailbox.id, dedupKey })
            if (copy !== null && copies.has(copy)) continue
            if (copy !== null) copies.add(copy)

            const state = accountState(account, billing, now)
            const gate = inboundGate(account, state, now)
            const { content, files } = yield* newMessage(mail, mailbox, now)
            const storageUsedBytes = files.reduce(
              (sum, file) => sum + file.sizeBytes,
              account.storageUsedBytes,
            )
            const counted = { ...countReceived(account, state, gate, now), storageUsedBytes }
            accounts.set(account.id, counted)
            received.set(mailbox.id, countInMailbox(received.get(mailbox.id) ?? mailbox, gate, now))
            arriving.push({
              mail,
              mailbox,
              content,
              files,
              dedupKey,
              gate,
              quota: inboundQuota(counted, state, now),
              threadable: {
                accountId: account.id,
                mailboxId: mailbox.id,
                ownAddress: mailbox.fullAddress,
                links: linksOf(mail.parsed),
                subject: content.subject,
                participants: participantsOf(content),
                createdAt: now,
                visible: gate === null,
              },
            })
          }
        const used = new Set(arriving.map(({ mail }) => mail))
        yield* forget(
          mails.filter((mail) => !used.has(mail)),
          now,
        )
        if (arriving.length === 0) return

        const placing = yield* threadIndex.open(arriving.map(({ threadable }) => threadable))
        for (const { threadable } of arriving) placing.place(threadable, ThreadId.make(yield* ids.uuid))
        yield* placing.save
        yield* messageStore.insert(
          arriving.map((one) => toRecord(one, placing.threadOf(one.threadable), now)),
        )
        yield* attachmentStore.insert(arriving.flatMap(({ files }) => files))
        for (const mailbox of received.values()) yield* mailboxStore.save(mailbox)
        for (const account of accounts.values()) yield* accountStore.save(account)

        yield* events.record(
          arriving.map(({ mailbox, content, gate, quota, mail, threadable }): Happening => {
            const receivedAt = timestamp(mail.queued.envelope.receivedAt)
            const threadId = placing.threadOf(threadable)
            const envelope =
              gate === null
                ? receivedEvent(content, receivedAt, mailbox, threadId, inboundUsage(quota, now), now)
                : stubEvent(content, receivedAt, mailbox, reachedUsage(quota, now), upgradeAt(baseUrl), now)
            return { accountId: mailbox.accountId, mailboxId: mailbox.id, envelope, at: now }
          }),
        )
      })

      return { deliver: (batch, leaseUntil) => commit(deliver(batch, leaseUntil)) }
    }),
  )
}

const recipientOf = (address: string): string => withoutTag(normalizeAddress(address))

/** The mailboxes a mail is for, once each; those that are gone by now are left out. */
const recipientsIn = (
  mail: ReadMail,
  mailboxes: ReadonlyMap<string, MailboxRecord>,
): ReadonlyArray<MailboxRecord> =>
  [...new Set(mail.queued.envelope.to.map(recipientOf))].flatMap((address) => mailboxes.get(address) ?? [])

/** The Message-ID is part of the fingerprint; without one, two equal mails are two mails (decisions §5). */
const dedupKeyOf = ({ parsed }: ReadMail): string | null =>
  parsed.messageId === null ? null : parsed.fingerprint

const copyKey = (probe: { readonly mailboxId: string; readonly dedupKey: string }): string =>
  `${probe.mailboxId} ${probe.dedupKey}`

const countInMailbox = (mailbox: MailboxRecord, gate: InboundGate | null, now: Instant): MailboxRecord => ({
  ...mailbox,
  receivedMonth: addTo(mailbox.receivedMonth, monthOf(now), 1),
  overLimitCount: gate === null ? mailbox.overLimitCount : mailbox.overLimitCount + 1,
})

const toRecord = (arriving: Arriving, threadId: ThreadId, now: Instant): MessageRecord => ({
  accountId: arriving.mailbox.accountId,
  content: arriving.content,
  headers: arriving.mail.parsed.headers,
  threadId,
  status: "RECEIVED",
  gate: arriving.gate,
  labels: [],
  readAt: null,
  sentAt: null,
  createdAt: now,
  dedupKey: arriving.dedupKey,
  rawId: arriving.mail.queued.raw.id,
})
