/** The transaction of the deliver stage: stores the messages, threads, counters and events of a batch of mails. */
import {
  type AccountId,
  type AccountRecord,
  blobsAmong,
  type Instant,
  mailboxAddress,
  type MailboxRecord,
  monthTurned,
} from "@mailroom/domain"
import { Array, Clock, Context, Effect, Either, Layer } from "effect"
import { BlobDrafts } from "../blobs/BlobDrafts.js"
import { Correspondents } from "../correspondents/Correspondents.js"
import { EventRecorder } from "../events/EventRecorder.js"
import { Ids } from "../ids/Ids.js"
import { explainEach, logLines } from "../mailLog.js"
import { Metrics } from "../metrics.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { AttachmentStore } from "../ports/stores/AttachmentStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { MailCountStore } from "../ports/stores/MailCountStore.js"
import { MessageStore } from "../ports/stores/MessageStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { ThreadIndex } from "../threads/ThreadIndex.js"
import { UnitOfWork } from "../UnitOfWork.js"
import {
  addressedMails,
  type AddressedMail,
  type Arriving,
  arrivalsOf,
  authorOf,
  copyKey,
  type DeliverableMail,
  idsNeeded,
  probeOf,
  senderOf,
} from "./arrivals.js"
import {
  countOf,
  deliveredFields,
  discardedFields,
  isUnread,
  unreadFields,
  eventOf,
  reasonFields,
  recordOf,
} from "./deliveredMail.js"
import { GatedMessages } from "./GatedMessages.js"
import { MailRemoval } from "./MailRemoval.js"
import { RoleAddresses } from "./RoleAddresses.js"
import { SenderJudgement } from "./SenderJudgement.js"

/** The result of one transaction. */
interface Delivered {
  readonly arriving: ReadonlyArray<Arriving>
  /** mails that became no message: duplicates, and mail whose mailboxes were deleted */
  readonly discarded: ReadonlyArray<DeliverableMail>
  readonly now: Instant
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
      const blobDrafts = yield* BlobDrafts
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
      const settings = yield* Settings

      /** Removes leased entries from the queue and returns their ids. An entry with later recipients stays in the queue. */
      const takeFromQueue = Effect.fnUntraced(function* (
        batch: ReadonlyArray<DeliverableMail>,
        leaseUntil: Instant,
      ) {
        const [last, partial] = Array.partitionMap(batch, ({ queued: { id }, rest }) =>
          rest === null ? Either.left(id) : Either.right({ id, ...rest }),
        )
        const finished = yield* rawMails.finish(last, leaseUntil)
        const kept = yield* Effect.filter(partial, ({ id, before, to }) =>
          rawMails.keepRecipients(id, before, to, leaseUntil),
        )
        return new Set([...finished, ...kept.map(({ id }) => id)])
      })

      /** Locks and reads the accounts and mailboxes of all recipients; the mailboxes by full address. */
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
      const storedCopies = Effect.fnUntraced(function* (addressed: ReadonlyArray<AddressedMail>) {
        const probes = addressed.flatMap((one) => probeOf(one) ?? [])
        const stored = probes.length === 0 ? [] : yield* messageStore.stored(probes)
        return new Set(stored.map(copyKey))
      })

      /**
       * Adds the jobs that pass on mail to role addresses; they keep the raw bytes. Of all mail that became no message, removes
       * what nothing refers to, unless later recipients wait for it. Returns those that are not passed on.
       */
      const passOnOrDiscard = Effect.fnUntraced(function* (
        mails: ReadonlyArray<DeliverableMail>,
        arriving: ReadonlyArray<Arriving>,
        mailboxes: ReadonlyMap<string, MailboxRecord>,
        now: Instant,
      ) {
        const used = new Set(arriving.map(({ mail }) => mail))
        const unused = mails.filter((mail) => !used.has(mail))
        const passedOn = yield* roles.passOn(mails, (address) => mailboxes.has(address), now)
        yield* removal.discard(
          unused.filter(({ rest }) => rest === null),
          now,
        )
        return unused.filter((mail) => !passedOn.has(mail))
      })

      /** Takes the mails from the queue first: a worker that lost their lease has nothing to deliver then. */
      const deliver = Effect.fnUntraced(function* (
        batch: ReadonlyArray<DeliverableMail>,
        leaseUntil: Instant,
      ) {
        const now = yield* Clock.currentTimeMillis
        const ours = yield* takeFromQueue(batch, leaseUntil)
        const mails = batch.filter((mail) => ours.has(mail.queued.id))
        const locked = yield* lockRecipients(mails, now)
        const addressed = addressedMails(mails, locked.mailboxes)
        const histories = yield* correspondents.of(addressed.map(authorOf))
        const { arriving, accounts, received } = arrivalsOf(addressed, locked.accounts, {
          now,
          billing: settings.billing,
          platformDomain: settings.platformDomain,
          histories,
          copies: yield* storedCopies(addressed),
          judge: yield* senders.prepare(addressed.map(senderOf), locked.accounts),
          ids: yield* ids.uuids(idsNeeded(addressed)),
        })
        const discarded = yield* passOnOrDiscard(mails, arriving, locked.mailboxes, now)
        if (arriving.length === 0) return { arriving, discarded, now }

        const placing = yield* threadIndex.open(arriving.map(({ threadable }) => threadable))
        for (const { threadable, freshThread } of arriving) placing.place(threadable, freshThread)
        yield* placing.save
        const threadOf = ({ threadable }: Arriving) => placing.threadOf(threadable)
        yield* messageStore.insert(arriving.map((one) => recordOf(one, threadOf(one), now)))
        const files = arriving.flatMap((one) => one.files)
        yield* attachmentStore.insert(files)
        yield* blobDrafts.end(blobsAmong(files.map(({ blobKey }) => blobKey)))
        yield* correspondents.rememberAuthors(
          arriving.filter(({ quarantine }) => quarantine === null).map(({ content }) => content),
          histories,
          now,
        )
        yield* mailboxStore.saveReceived([...received.values()])
        yield* accountStore.saveReceived([...accounts.values()])
        yield* counts.add(arriving.map(countOf), now)
        yield* events.record(arriving.map((one) => eventOf(one, threadOf(one), settings, now)))
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
            Effect.forEach(
              arriving.filter(isUnread),
              (one) => Effect.logWarning("A mail was delivered without its body", unreadFields(one)),
              { discard: true },
            ),
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
