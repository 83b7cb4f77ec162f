/** The transaction of the deliver stage: stores the messages, threads, counters and events of a batch of mails. */
import {
  type AccountId,
  type AccountRecord,
  addTo,
  AttachmentId,
  type AttachmentRecord,
  type SenderResults,
  authorAddress,
  countReceived,
  type EventEnvelope,
  domainOf,
  inboundContent,
  type InboundGate,
  inboundGate,
  inboundQuota,
  type InboundQuota,
  inboundUsage,
  type JudgedSender,
  type Instant,
  linksOf,
  MADE_HERE,
  mailboxAddress,
  type MailboxRecord,
  type MessageContent,
  MessageId,
  monthOf,
  monthTurned,
  normalizeAddress,
  participantsOf,
  quarantinedEvent,
  quarantineReasons,
  type QuarantineRecord,
  reachedUsage,
  receivedEvent,
  type Spam,
  stateBehindSuspension,
  stubEvent,
  ThreadId,
  timestamp,
  type TrustRelations,
  trustContentOf,
  trustOf,
  upgradeAt,
  viewAttachment,
} from "@mailroom/domain"
import { Array, Clock, Context, Effect, Layer } from "effect"
import {
  type Author,
  type AuthorHistories,
  type AuthorHistory,
  Correspondents,
} from "../correspondents/Correspondents.js"
import { explainEach, type LogFields, logLines } from "../mailLog.js"
import { Metrics } from "../metrics.js"
import { EventRecorder, type NewEvent } from "../events/EventRecorder.js"
import { Ids } from "../ids/Ids.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { AttachmentStore } from "../ports/stores/AttachmentStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { MailCountStore } from "../ports/stores/MailCountStore.js"
import { type DedupProbe, type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { type Threadable, ThreadIndex } from "../threads/ThreadIndex.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { GatedMessages } from "./GatedMessages.js"
import type { ReadMail } from "./MailReader.js"
import { MailRemoval } from "./MailRemoval.js"
import { RoleAddresses } from "./RoleAddresses.js"
import { type ArrivingSender, SenderJudgement } from "./SenderJudgement.js"

/** What was found out about a mail. */
export interface Verdicts {
  readonly authentication: SenderResults
  /** null without a spam filter, or without its answer */
  readonly spam: Spam | null
}

/** A mail with its verdicts. */
export interface DeliverableMail extends Omit<ReadMail, keyof Verdicts>, Verdicts {
  /** recipients of later transactions; null when one transaction serves all recipients of the mail */
  readonly later: ReadonlyArray<string> | null
}

/** One mail for one mailbox, which becomes a message. */
interface Arriving {
  readonly mail: DeliverableMail
  readonly mailbox: MailboxRecord
  readonly content: MessageContent
  readonly files: ReadonlyArray<AttachmentRecord>
  readonly dedupKey: string | null
  readonly gate: InboundGate | null
  /** why it is hidden until the owner releases it; null: it is not */
  readonly quarantine: QuarantineRecord | null
  /** the id of its thread if it begins one */
  readonly freshThread: ThreadId
  readonly threadable: Threadable
  /** the inbound quota of the account after this mail */
  readonly quota: InboundQuota
}

/** The accounts and mailboxes of recipients, locked by the transaction. */
interface Locked {
  readonly accounts: ReadonlyMap<AccountId, AccountRecord>
  /** by full address */
  readonly mailboxes: ReadonlyMap<string, MailboxRecord>
}

export class LocalDelivery extends Context.Tag("@mailroom/LocalDelivery")<
  LocalDelivery,
  {
    /** Delivers those mails of the batch that are still leased until `leaseUntil`, each at most once. */
    readonly deliver: (batch: ReadonlyArray<DeliverableMail>, leaseUntil: Instant) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    LocalDelivery,
    Effect.gen(function* () {
      const accountStore = yield* AccountStore
      const counts = yield* MailCountStore
      const attachmentStore = yield* AttachmentStore
      const mailboxStore = yield* MailboxStore
      const messageStore = yield* MessageStore
      const rawMails = yield* RawMailStore
      const removal = yield* MailRemoval
      const roles = yield* RoleAddresses
      const senders = yield* SenderJudgement
      const threadIndex = yield* ThreadIndex
      const correspondents = yield* Correspondents
      const events = yield* EventRecorder
      const gated = yield* GatedMessages
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const { billing, platformDomain, baseUrl } = yield* Settings

      /** Removes leased entries from the queue and returns their ids. An entry with later recipients stays in the queue. */
      const takeFromQueue = Effect.fnUntraced(function* (
        batch: ReadonlyArray<DeliverableMail>,
        leaseUntil: Instant,
      ) {
        const [last, partial] = Array.partition(batch, ({ later }) => later !== null && later.length > 0)
        const finished = yield* rawMails.finish(
          last.map(({ queued }) => queued.id),
          leaseUntil,
        )
        const kept = yield* Effect.filter(partial, ({ queued: { id, envelope }, later }) =>
          rawMails.keepRecipients(id, { ...envelope, to: later ?? [] }, leaseUntil),
        )
        return new Set([...finished, ...kept.map(({ queued }) => queued.id)])
      })

      /** Locks and reads the accounts and mailboxes of all recipients. */
      const lockRecipients = Effect.fnUntraced(function* (
        mails: ReadonlyArray<DeliverableMail>,
        now: Instant,
      ) {
        const addresses = new Set(mails.flatMap((mail) => mail.queued.envelope.to.map(mailboxAddress)))
        const found = yield* mailboxStore.byAddresses([...addresses])
        const locked = yield* accountStore.lock([...new Set(found.map((mailbox) => mailbox.accountId))])
        const accounts = new Map<AccountId, AccountRecord>()
        for (const account of locked)
          accounts.set(
            account.id,
            monthTurned(account, now) ? yield* gated.unlock(account, "INBOUND_LIMIT_EXCEEDED") : account,
          )
        const mailboxes = yield* mailboxStore.lock(found.map((mailbox) => mailbox.id))
        return { accounts, mailboxes: new Map(mailboxes.map((mailbox) => [mailbox.fullAddress, mailbox])) }
      })

      /** The copies of these mails that are messages already, as `copyKey`s. */
      const storedCopies = Effect.fnUntraced(function* (
        mails: ReadonlyArray<DeliverableMail>,
        mailboxes: ReadonlyMap<string, MailboxRecord>,
      ) {
        const probes = mails.flatMap((mail) =>
          recipientsIn(mail, mailboxes).flatMap((mailbox) => probeOf(mail, mailbox) ?? []),
        )
        const stored = probes.length === 0 ? [] : yield* messageStore.stored(probes)
        return new Set(stored.map(copyKey))
      })

      const filesOf = (mail: DeliverableMail, mailbox: MailboxRecord, messageId: MessageId, now: Instant) =>
        Effect.map(ids.uuids(mail.files.length), (fileIds) =>
          Array.zipWith(
            mail.files,
            fileIds,
            ({ filename, contentType, contentId, sizeBytes, blobKey }, id): AttachmentRecord => ({
              id: AttachmentId.make(id, MADE_HERE),
              accountId: mailbox.accountId,
              mailboxId: mailbox.id,
              messageId,
              draftId: null,
              filename,
              contentType,
              sizeBytes,
              contentId,
              blobKey,
              createdAt: now,
            }),
          ),
        )

      const contentOf = (
        { queued: { envelope }, parsed, dropped, authentication, spam }: DeliverableMail,
        id: MessageId,
        mailbox: MailboxRecord,
        relations: TrustRelations,
        files: ReadonlyArray<AttachmentRecord>,
        now: Instant,
      ) =>
        inboundContent({
          id,
          mailboxId: mailbox.id,
          parsed,
          envelopeFrom: envelope.from,
          deliveredTo: recipientFor(mailbox, envelope.to),
          fallbackMessageId: `<${id}@${platformDomain}>`,
          receivedAt: envelope.receivedAt,
          createdAt: now,
          attachments: files.map(viewAttachment),
          dropped,
          authentication,
          trust: trustOf(authentication, relations, trustContentOf(parsed, envelope.from)),
          spam,
        })

      /** What a mailbox has to do with the author of a mail. */
      const relationsOf = (
        account: AccountRecord,
        { fullAddress }: MailboxRecord,
        { verdict }: JudgedSender,
        { correspondent, similarDomains }: AuthorHistory,
      ): TrustRelations => ({
        owner: account.emailVerifiedAt === null ? null : normalizeAddress(account.email),
        knownDomains: [platformDomain, domainOf(fullAddress), ...similarDomains],
        isWrittenTo: (correspondent?.writtenAt ?? null) !== null,
        isAllowListed: verdict === "allow",
      })

      /**
       * Makes each mail arrive at each of its mailboxes, in the order of the batch, and counts it there. Leaves out copies of
       * stored messages. Returns the counted accounts and mailboxes as well.
       */
      const arrive = Effect.fnUntraced(function* (
        mails: ReadonlyArray<DeliverableMail>,
        { accounts: locked, mailboxes }: Locked,
        histories: AuthorHistories,
        now: Instant,
      ) {
        const accounts = new Map(locked)
        const copies = yield* storedCopies(mails, mailboxes)
        const received = new Map<MailboxRecord["id"], MailboxRecord>()
        const arriving: Array<Arriving> = []
        const pairs = mails.flatMap((mail) =>
          recipientsIn(mail, mailboxes).map((mailbox) => ({ mail, mailbox })),
        )
        const judge = yield* senders.prepare(pairs.map(senderOf), locked)
        const messageIds = yield* ids.uuids(pairs.length)
        const threadIds = yield* ids.uuids(pairs.length)

        for (const [{ mail, mailbox }, [messageId, threadId]] of Array.zip(
          pairs,
          Array.zip(messageIds, threadIds),
        )) {
          const account = accounts.get(mailbox.accountId)
          if (account === undefined) continue
          const probe = probeOf(mail, mailbox)
          const copy = probe === null ? null : copyKey(probe)
          if (copy !== null && copies.has(copy)) continue
          if (copy !== null) copies.add(copy)

          const state = stateBehindSuspension(account, billing, now)
          const gate = inboundGate(account, state, now)
          const id = MessageId.make(messageId, MADE_HERE)
          const files = mail.files.length === 0 ? [] : yield* filesOf(mail, mailbox, id, now)
          const sender = judge(senderOf({ mail, mailbox }), account)
          const relations = relationsOf(
            account,
            mailbox,
            sender,
            histories({
              mailboxId: mailbox.id,
              from: authorAddress(mail.parsed, mail.queued.envelope.from),
            }),
          )
          const content = contentOf(mail, id, mailbox, relations, files, now)
          const reasons = quarantineReasons(mailbox.policies, sender, content.trust, content.spam)
          const quarantine = reasons.length === 0 ? null : { at: now, reasons }
          const storageUsedBytes = files.reduce((sum, file) => sum + file.sizeBytes, account.storageUsedBytes)
          const counted = { ...countReceived(account, state, gate, now), storageUsedBytes }
          accounts.set(account.id, counted)
          received.set(mailbox.id, countInMailbox(received.get(mailbox.id) ?? mailbox, gate, now))
          arriving.push({
            mail,
            mailbox,
            content,
            files,
            dedupKey: probe?.dedupKey ?? null,
            gate,
            quarantine,
            freshThread: ThreadId.make(threadId, MADE_HERE),
            quota: inboundQuota(counted, state, now),
            threadable: {
              accountId: account.id,
              mailboxId: mailbox.id,
              ownAddress: mailbox.fullAddress,
              links: linksOf(mail.parsed),
              rfcId: content.messageId,
              subject: content.subject,
              participants: participantsOf(content),
              createdAt: now,
              visible: gate === null && quarantine === null,
            },
          })
        }
        return { arriving, accounts, received }
      })

      /**
       * Adds the jobs that pass on mail to role addresses. Discards the other mails that became no message, and returns them.
       * Also removes the attachments of mails that are only passed on.
       */
      const passOnOrDiscard = Effect.fnUntraced(function* (
        mails: ReadonlyArray<DeliverableMail>,
        arriving: ReadonlyArray<Arriving>,
        mailboxes: Locked["mailboxes"],
        now: Instant,
      ) {
        const used = new Set(arriving.map(({ mail }) => mail))
        const passedOn = yield* roles.passOn(mails, (address) => mailboxes.has(address), now)
        const discarded = mails.filter((mail) => !used.has(mail) && !passedOn.has(mail))
        // Another transaction may use the stored bytes of a mail that was split.
        yield* removal.discard(
          discarded.filter(({ later }) => later === null),
          now,
        )
        // Mail that is only passed on needs its raw bytes and no attachments.
        const unused = [...passedOn].filter((mail) => !used.has(mail) && mail.later === null)
        const fileKeys = unused.flatMap(({ files }) => files.map(({ blobKey }) => blobKey))
        yield* removal.removeBlobs(fileKeys, now)
        return discarded
      })

      const eventOf = (
        { mailbox, content, gate, quarantine, quota, mail }: Arriving,
        threadId: ThreadId,
        now: Instant,
      ): NewEvent => {
        const receivedAt = timestamp(mail.queued.envelope.receivedAt)
        const event = (envelope: EventEnvelope): NewEvent => ({
          accountId: mailbox.accountId,
          mailboxId: mailbox.id,
          envelope,
          at: now,
        })
        if (gate !== null) {
          const upgrade = upgradeAt(baseUrl, billing)
          return event(stubEvent(content, receivedAt, mailbox, reachedUsage(quota, now), upgrade, now))
        }
        return event(
          quarantine === null
            ? receivedEvent(content, receivedAt, mailbox, threadId, inboundUsage(quota, now), now)
            : quarantinedEvent(content, receivedAt, mailbox, quarantine, now),
        )
      }

      /** Takes the mails from the queue first: a worker that lost their lease has nothing to deliver then. */
      const deliver = Effect.fnUntraced(function* (
        batch: ReadonlyArray<DeliverableMail>,
        leaseUntil: Instant,
      ) {
        const now = yield* Clock.currentTimeMillis
        const ours = yield* takeFromQueue(batch, leaseUntil)
        const mails = batch.filter((mail) => ours.has(mail.queued.id))
        const locked = yield* lockRecipients(mails, now)
        const histories = yield* correspondents.of(authorsOf(mails, locked.mailboxes))
        const { arriving, accounts, received } = yield* arrive(mails, locked, histories, now)
        const discarded = yield* passOnOrDiscard(mails, arriving, locked.mailboxes, now)
        if (arriving.length === 0) return { arriving, discarded, now }

        const placing = yield* threadIndex.open(arriving.map(({ threadable }) => threadable))
        for (const { threadable, freshThread } of arriving) placing.place(threadable, freshThread)
        yield* placing.save
        yield* messageStore.insert(
          arriving.map((one) => toRecord(one, placing.threadOf(one.threadable), now)),
        )
        yield* attachmentStore.insert(arriving.flatMap(({ files }) => files))
        yield* correspondents.rememberAuthors(
          arriving.filter(({ quarantine }) => quarantine === null).map(({ content }) => content),
          histories,
          now,
        )
        yield* mailboxStore.saveReceived([...received.values()])
        yield* accountStore.saveReceived([...accounts.values()])
        yield* counts.add(arriving.map(countOf), now)

        yield* events.record(arriving.map((one) => eventOf(one, placing.threadOf(one.threadable), now)))
        return { arriving, discarded, now }
      })

      const report = ({ arriving, discarded, now }: Delivered) => {
        const hidden = arriving.filter(({ gate }) => gate !== null).length
        return Effect.all(
          [
            Metrics.messagesReceived(arriving.length - hidden, hidden),
            Metrics.deliveredAfter(arriving.map(({ mail }) => now - mail.queued.envelope.receivedAt)),
            logLines("mail delivered", arriving, (one) => deliveredFields(one, now)),
            logLines("mail discarded", discarded, discardedFields),
            explainEach("why a mail was delivered this way", arriving, reasonFields),
          ],
          { discard: true },
        )
      }

      return {
        deliver: (batch, leaseUntil) => Effect.flatMap(commit(deliver(batch, leaseUntil)), report),
      }
    }),
  )
}

/** The result of one transaction. */
interface Delivered {
  readonly arriving: ReadonlyArray<Arriving>
  /** mails that became no message: duplicates, and mail whose mailboxes were deleted */
  readonly discarded: ReadonlyArray<DeliverableMail>
  readonly now: Instant
}

const countOf = ({ mailbox, gate, quarantine }: Arriving) => ({
  accountId: mailbox.accountId,
  mailboxId: mailbox.id,
  received: 1,
  gated: gate === null ? 0 : 1,
  quarantined: quarantine === null ? 0 : 1,
})

const deliveredFields = (
  { mail, mailbox, content, gate, quarantine }: Arriving,
  now: Instant,
): LogFields => ({
  rawId: mail.queued.raw.id,
  messageId: content.id,
  accountId: mailbox.accountId,
  mailboxId: mailbox.id,
  from: mail.queued.envelope.from,
  to: mailbox.fullAddress,
  afterMs: now - mail.queued.envelope.receivedAt,
  ...(gate !== null && { gate }),
  ...(quarantine !== null && { quarantine: quarantine.reasons }),
})

const discardedFields = ({ queued: { raw, envelope } }: DeliverableMail): LogFields => ({
  rawId: raw.id,
  from: envelope.from,
  to: envelope.to,
  reason: "stored already, or no recipient has a mailbox any more",
})

const reasonFields = ({ mail, content, files, gate, threadable }: Arriving): LogFields => ({
  messageId: content.id,
  spf: mail.authentication.spf,
  dkim: mail.authentication.dkim,
  dmarc: mail.authentication.dmarc,
  verifiedDomain: mail.authentication.verifiedDomain,
  trust: content.trust?.level ?? "none",
  trustReasons: content.trust?.reasons.join(" ") ?? "",
  spam: mail.spam?.action ?? "none",
  gate: gate ?? "none",
  automated: content.automated,
  files: files.length,
  filesDropped: mail.dropped ?? "none",
  threadLinks: threadable.links.references.length + threadable.links.inReplyTo.length,
})

/** The first envelope recipient that a mailbox gets the mail for. */
const recipientFor = ({ fullAddress }: MailboxRecord, to: ReadonlyArray<string>): string =>
  to.find((address) => mailboxAddress(address) === fullAddress) ?? fullAddress

/** The mailboxes of a mail, each once, without deleted ones. */
const recipientsIn = (
  mail: DeliverableMail,
  mailboxes: ReadonlyMap<string, MailboxRecord>,
): ReadonlyArray<MailboxRecord> =>
  [...new Set(mail.queued.envelope.to.map(mailboxAddress))].flatMap((address) => mailboxes.get(address) ?? [])

/** The sender of a mail for a mailbox. */
const senderOf = ({
  mail: { parsed, queued, authentication },
  mailbox,
}: Pick<Arriving, "mail" | "mailbox">): ArrivingSender => ({
  mailbox,
  envelopeFrom: queued.envelope.from,
  from: authorAddress(parsed, queued.envelope.from),
  authentication,
})

/** The authors of the mails, for each of their mailboxes. */
const authorsOf = (
  mails: ReadonlyArray<DeliverableMail>,
  mailboxes: ReadonlyMap<string, MailboxRecord>,
): ReadonlyArray<Author> =>
  mails.flatMap((mail) =>
    recipientsIn(mail, mailboxes).map(({ id }) => ({
      mailboxId: id,
      from: authorAddress(mail.parsed, mail.queued.envelope.from),
    })),
  )

/** The key that finds a duplicate of a mail in a mailbox; null without a Message-ID, where equal mails are two messages. */
const probeOf = ({ parsed }: DeliverableMail, { id }: MailboxRecord): DedupProbe | null =>
  parsed.messageId === null || parsed.fingerprint === null
    ? null
    : { mailboxId: id, rfcId: parsed.messageId, dedupKey: parsed.fingerprint }

/** The fingerprint covers the Message-ID. */
const copyKey = ({ mailboxId, dedupKey }: DedupProbe): string => `${mailboxId} ${dedupKey}`

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
  automaticTurn: false,
  claim: null,
  quarantine: arriving.quarantine,
})
