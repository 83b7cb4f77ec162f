/**
 * Records a send before the relay is called (`spec: messages.send.rule-1`): one transaction uses the quota and writes the
 * message, hidden, in the state SENDING. `SendOutcomes` moves it to its final state.
 */
import {
  type AccountRecord,
  accountState,
  addTo,
  admitAccountSend,
  admitSend,
  admitToThread,
  admitTurn,
  type AttachmentId,
  type AttachmentRecord,
  type AttachmentUnknown,
  atItsTime,
  authorOf,
  contentOf,
  correspondentOf,
  dayOf,
  DigestMismatch,
  type DomainRecord,
  type DomainStatus,
  DraftId,
  type DraftLimitReached,
  type DraftRecord,
  held,
  isApproved,
  loopLimits,
  loopWindow,
  type MailboxRecord,
  type MailLoopCut,
  type MessageContent,
  monthOf,
  NotFound,
  type OutboundDecision,
  outboundDecision,
  participantsOf,
  type RecipientBlocked,
  recipientsOf,
  scheduled,
  sentDraftBytes,
  type SendQuotaError,
  type SendRefusal,
  type StorageFull,
  takeSend,
  takeStorage,
  ThreadId,
  type ThreadRecord,
  type ThreadTakenOver,
  totalBytes,
} from "@mailroom/domain"
import { Context, Data, Effect, Either, Layer, Option } from "effect"
import { ListedAddresses } from "../addressLists/ListedAddresses.js"
import { BlobDrafts } from "../blobs/BlobDrafts.js"
import { DraftKeeper } from "../drafts/DraftKeeper.js"
import { setMarker } from "../idempotency/marker.js"
import { Ids } from "../ids/Ids.js"
import { Settings } from "../ports/Settings.js"
import { AttachmentStore } from "../ports/stores/AttachmentStore.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import type { MessageRecord } from "../ports/stores/MessageStore.js"
import type { RawMail } from "../ports/stores/RawMailStore.js"
import { DraftStore } from "../ports/stores/DraftStore.js"
import { type LockedSender, SendStore } from "../ports/stores/SendStore.js"
import { startThread, type Threadable, type ThreadChanges, ThreadIndex } from "../threads/ThreadIndex.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { OutgoingAttachments, type OutgoingFiles } from "./OutgoingAttachments.js"
import { headersOf, type Outgoing, outboundContent } from "./outgoing.js"

/** The custom domain of a mailbox. None on the platform domain, without a query, and when the domain was deleted. */
export const senderDomain = (
  domains: typeof DomainStore.Service,
  { accountId, domainId }: Pick<MailboxRecord, "accountId" | "domainId">,
): Effect.Effect<Option.Option<DomainRecord>> =>
  domainId === null ? Effect.succeedNone : domains.byId(accountId, domainId)

/** The status of a mailbox's custom domain, for `admitSend`: null on the platform domain, FAILED when it was deleted. */
export const senderDomainStatus = (
  { domainId }: Pick<MailboxRecord, "domainId">,
  domain: Option.Option<DomainRecord>,
): DomainStatus | null =>
  domainId === null
    ? null
    : Option.match(domain, { onNone: () => "FAILED" as const, onSome: ({ status }) => status })

/** A send that became a draft: a policy holds it, or it waits for its time. */
export interface KeptSend {
  readonly kind: "held" | "scheduled"
  readonly draft: DraftRecord
}

/**
 * The policy of the mailbox has changed since the mail was composed, and holds it now, but the submitted mail was not written
 * as a file: the send starts again.
 */
export class HeldMeanwhile extends Data.TaggedError("HeldMeanwhile") {}

/** A recorded message, and what `SendOutcomes.rollback` returns when it was not sent. */
export interface RecordedSend {
  readonly kind: "recorded"
  /** the draft that became the message; null for the body of a request */
  readonly draft: DraftRecord | null
  readonly message: MessageRecord
  readonly mailbox: MailboxRecord
  readonly tookTrialSend: boolean
  readonly addedBytes: number
  /** the file of the draft with the mail that a client submitted, which is removed; null: none */
  readonly submitted: AttachmentRecord | null
  /** uploads that were attached to the message */
  readonly uploaded: ReadonlyArray<AttachmentId>
  /** recipients to whom the mailbox has not written before */
  readonly newRecipients: ReadonlyArray<string>
}

export class SendRecorder extends Context.Tag("@mailroom/SendRecorder")<
  SendRecorder,
  {
    /**
     * Runs with the account locked:
     *
     * 1. Repeats `admitSend`, the send lists and the check of the uploads. The suppression list and the sizes are not checked again.
     * 2. Refuses a key's send into a thread that a person has taken over (`admitToThread`), also one that would become a draft.
     * 3. Keeps a send that a policy holds, or that has a later time, as a draft; it uses no quota.
     * 4. Otherwise checks storage, mail loop and quotas, and inserts the message as SENDING.
     *
     * `blobKeys`: the blobs written for the send, which stop being drafts of blobs; those of the mail only with a message.
     * `keptMail`: the submitted mail as a file of the draft; null when the policy held nothing before.
     */
    readonly record: (
      prepared: Outgoing,
      files: OutgoingFiles,
      raw: Pick<RawMail, "id" | "content">,
      blobKeys: ReadonlyArray<string>,
      keptMail: OutgoingFiles | null,
    ) => Effect.Effect<
      RecordedSend | KeptSend,
      | NotFound
      | SendRefusal
      | RecipientBlocked
      | MailLoopCut
      | SendQuotaError
      | AttachmentUnknown
      | StorageFull
      | DigestMismatch
      | DraftLimitReached
      | ThreadTakenOver
      | HeldMeanwhile
    >
  }
>() {
  static readonly layer = Layer.effect(
    SendRecorder,
    Effect.gen(function* () {
      const sends = yield* SendStore
      const domains = yield* DomainStore
      const threadIndex = yield* ThreadIndex
      const files = yield* OutgoingAttachments
      const attachments = yield* AttachmentStore
      const blobDrafts = yield* BlobDrafts
      const drafts = yield* DraftStore
      const keeper = yield* DraftKeeper
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork
      const lists = yield* ListedAddresses
      const settings = yield* Settings

      /** The account with one more send in its counters and these bytes added, or `StorageFull`. */
      const countInAccount = (account: AccountRecord, addedBytes: number, now: number) =>
        Either.map(takeStorage(account, addedBytes), (counted): AccountRecord => {
          const inTrial = accountState(account, settings.billing, now) === "trial"
          return {
            ...counted,
            trialSends: account.trialSends + (inTrial ? 1 : 0),
            sentDay: addTo(account.sentDay, dayOf(now), 1),
            sentMonth: addTo(account.sentMonth, monthOf(now), 1),
          }
        })

      /** Checks the mail loop limits. Call it on a locked account, so that concurrent sends are counted. */
      const admitNextTurn = Effect.fnUntraced(function* ({ threadId, content }: Answered, now: number) {
        const since = loopWindow(now)
        const inThread = yield* sends.automaticTurns({ threadId }, since, loopLimits.thread)
        yield* admitTurn(inThread, "thread", now)
        const withOne = yield* sends.automaticTurns(
          { mailboxId: content.mailboxId, correspondent: correspondentOf(content) },
          since,
          loopLimits.correspondent,
        )
        yield* admitTurn(withOne, "correspondent", now)
      })

      const noChanges: ThreadChanges = { threads: [], links: [] }

      /**
       * The thread that a message will be in, null for a new one; and `save`, which writes a merge of threads and returns the
       * changes that `SendStore.record` has to write. `isNewId`: no message of the mailbox can have the Message-ID. One
       * that a client chose can be there, and that of a draft is recorded again when the relay was away.
       */
      const placeInThread = Effect.fnUntraced(function* (
        { id: mailboxId, accountId, fullAddress }: MailboxRecord,
        content: MessageContent,
        isNewId: boolean,
        now: number,
      ) {
        const fresh = ThreadId.make(yield* ids.uuid)
        const message: Threadable = {
          accountId,
          mailboxId,
          ownAddress: fullAddress,
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
        if (content.inReplyTo === null && content.references.length === 0 && isNewId)
          return {
            threadId: fresh,
            joined: null,
            save: Effect.succeed(startThread(message, fresh)),
          } satisfies PlacedSend
        const placing = yield* threadIndex.open([message])
        placing.place(message, fresh)
        return {
          threadId: placing.threadOf(message),
          joined: placing.recordOf(message),
          save: Effect.suspend(() =>
            Option.match(placing.changes(), {
              onNone: () => Effect.as(placing.save, noChanges),
              onSome: Effect.succeed,
            }),
          ),
        } satisfies PlacedSend
      })

      /** The stored row of the draft that is sent. It must not have changed since the mail was composed of it. */
      const unchanged = Effect.fnUntraced(function* (read: DraftRecord, mailbox: MailboxRecord) {
        const found = yield* drafts.byId(read.accountId, read.id)
        if (Option.isNone(found)) return yield* new NotFound({ resource: "draft" })
        const { digest, status, sendAt } = found.value
        if (digest !== read.digest || status !== read.status || sendAt !== read.sendAt)
          return yield* new DigestMismatch({ digest: keeper.digestOf(found.value, mailbox) })
        return found.value
      })

      /** Removes a draft whose message is recorded. Its attachments become those of the message. */
      const removeDraft = Effect.fnUntraced(function* ({ id, content }: DraftRecord) {
        yield* drafts.remove(id)
        if (content.submitted === null) return
        const attached = content.attachments.map((file) => file.id)
        const { blobKeys } = yield* attachments.removeOfDraft(id, attached)
        // Kept until the collector removes it, because a refusal by the relay brings the draft back.
        yield* blobDrafts.begin(blobKeys)
      })

      /** Keeps a send as a draft, which has the id that the message would have. */
      const keepAsDraft = Effect.fnUntraced(function* (
        { account, mailbox }: LockedSender,
        outgoing: Outgoing,
        outgoingFiles: OutgoingFiles,
        keptMail: OutgoingFiles | null,
        before: DraftRecord | null,
        decision: OutboundDecision,
      ) {
        const { id, body, reply, calendar, submitted, now } = outgoing
        if (before === null && submitted !== null && keptMail === null) return yield* new HeldMeanwhile()
        const [file] = keptMail === null ? [] : keeper.describe(keptMail)
        const mail = file === undefined ? null : { ...file, fromName: submitted?.fromName ?? null }
        const draft =
          before ??
          keeper.make({
            id: DraftId.make(id),
            mailbox,
            content: contentOf(body, keeper.describe(outgoingFiles), reply, calendar, mail),
            clientId: null,
            now,
          })
        // A review is of one content and one time, as the digest that an approval names. Another time is another review.
        const keepsReview = before?.status === "PENDING_REVIEW" && before.sendAt === outgoing.sendAt
        const review = keepsReview ? before.review : null
        const timed = {
          ...draft,
          review,
          sendAt: outgoing.sendAt,
          byPerson: outgoing.byPerson,
          updatedAt: now,
        }
        const { reviewTtlHours } = mailbox.policies
        const kept =
          decision.kind === "hold"
            ? held(timed, decision.reasons, reviewTtlHours, now)
            : scheduled(timed, outgoing.sendAt ?? now)
        const files = keptMail === null ? outgoingFiles : joined(outgoingFiles, keptMail)
        const counted = yield* keeper.store(account, before, kept, files)
        if (before !== null) yield* keeper.endReview(mailbox, before, kept, outgoing.sentBy, now)
        if (decision.kind === "hold" && !keepsReview) yield* keeper.requestReview(counted, mailbox, kept)
        yield* setMarker({ kind: "sending", mailboxId: mailbox.id, messageId: id })
        return {
          kind: decision.kind === "hold" ? "held" : "scheduled",
          draft: kept,
        } satisfies KeptSend
      })

      const record = Effect.fnUntraced(function* (
        prepared: Outgoing,
        gathered: OutgoingFiles,
        raw: Pick<RawMail, "id" | "content">,
        blobKeys: ReadonlyArray<string>,
        keptMail: OutgoingFiles | null,
      ) {
        const { now, answered, automaticTurn } = prepared
        const recipients = recipientsOf(prepared.body)
        const sender = yield* sends.lock(prepared.mailbox.accountId, prepared.mailbox.id)
        if (Option.isNone(sender)) return yield* new NotFound({ resource: "mailbox" })
        const { account, mailbox } = sender.value
        // Checked again under the lock: the account may have sent, been paused or paid since the first check.
        const state = accountState(account, settings.billing, now)
        yield* admitSend(
          {
            account,
            state,
            mailbox,
            domainStatus: senderDomainStatus(mailbox, yield* senderDomain(domains, mailbox)),
            platformDomain: settings.platformDomain,
          },
          recipients,
        )
        yield* lists.admitRecipients(account, mailbox.id, recipients)
        const draft = prepared.draft === null ? null : yield* unchanged(prepared.draft, mailbox)
        const timed = draft === null ? null : atItsTime(draft, prepared)
        const outgoingFiles = yield* files.confirm(account.id, DraftId.make(prepared.id), gathered)
        const outgoing: Outgoing = { ...prepared, attachments: outgoingFiles.records }
        const content = outboundContent(outgoing)
        const { displayName } = prepared.mailbox
        const isNewId = draft === null && (prepared.submitted?.messageId ?? null) === null
        const placed = yield* placeInThread(mailbox, content, isNewId, now)
        // Under the lock that a takeover needs, too: of a send and a takeover at once, the second sees the first.
        yield* admitToThread(
          placed.joined,
          timed === null
            ? { byPerson: prepared.byPerson, approvedAt: null }
            : authorOf(timed, displayName, prepared.byPerson),
        )
        const decision =
          timed !== null && isApproved(timed, displayName)
            ? sendNow
            : outboundDecision(mailbox.policies.outboundPolicy, recipients, prepared)
        if (decision.kind === "hold" || prepared.sendAt !== null)
          return yield* keepAsDraft(sender.value, prepared, outgoingFiles, keptMail, timed, decision)
        const addedBytes = totalBytes(outgoingFiles.fresh)
        const freedBytes = draft === null ? 0 : sentDraftBytes(draft)
        const countedAccount = yield* countInAccount(account, addedBytes - freedBytes, now)
        if (draft !== null) yield* removeDraft(draft)
        if (automaticTurn && answered !== null) yield* admitNextTurn(answered, now)
        const countedMailbox = yield* takeSend(mailbox, account.plan, settings.sendVelocityPerMinute, now)
        yield* admitAccountSend(account, now)

        const { threadId } = placed
        const changes = yield* placed.save
        const message: MessageRecord = {
          accountId: account.id,
          content,
          headers: headersOf(outgoing),
          threadId,
          status: "SENDING",
          gate: null,
          labels: [...new Set(outgoing.body.labels)],
          readAt: null,
          sentAt: null,
          createdAt: now,
          dedupKey: null,
          claim: null,
          quarantine: null,
          rawId: raw.id,
          automaticTurn,
        }
        const { uploaded } = outgoingFiles
        yield* sends.record({
          account: countedAccount,
          mailbox: countedMailbox,
          raw: { ...raw, createdAt: now },
          message,
          correspondent: answered === null || isOurs(answered) ? null : correspondentOf(answered.content),
          ...changes,
          attachments: outgoingFiles.fresh,
          uploaded,
          blobKeys,
        })
        yield* setMarker({ kind: "sending", mailboxId: mailbox.id, messageId: content.id })
        return {
          kind: "recorded",
          draft,
          message,
          mailbox: countedMailbox,
          tookTrialSend: state === "trial",
          addedBytes,
          submitted: prepared.submitted?.stored ?? null,
          uploaded,
          newRecipients: outgoing.newRecipients,
        } satisfies RecordedSend
      })

      return {
        record: (prepared, gathered, raw, blobKeys, keptMail) =>
          commit(record(prepared, gathered, raw, blobKeys, keptMail)),
      }
    }),
  )
}

/** The files of a draft: its attachments and the submitted mail. */
const joined = (files: OutgoingFiles, mail: OutgoingFiles): OutgoingFiles => ({
  ...files,
  fresh: [...files.fresh, ...mail.fresh],
  ownBlobs: [...files.ownBlobs, ...mail.ownBlobs],
})

/** Where a send goes. */
interface PlacedSend {
  readonly threadId: ThreadId
  /** null: the send starts the thread */
  readonly joined: ThreadRecord | null
  readonly save: Effect.Effect<ThreadChanges>
}

const sendNow: OutboundDecision = { kind: "send" }

type Answered = NonNullable<Outgoing["answered"]>

const isOurs = ({ content }: Answered): boolean => content.direction === "OUTBOUND"
