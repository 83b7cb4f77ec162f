/**
 * Sends messages (`spec: messages.send.201`). The message and the quota it uses are recorded before the relay is called: a
 * refusal by the relay rolls both back, and a crash in between never sends twice.
 */
import {
  admitSend,
  correspondentOf,
  DraftId,
  type DraftRecord,
  inScope,
  type Instant,
  isMachineTurn,
  isPerson,
  namedActorOf,
  type MailboxId,
  type MailroomError,
  MessageId,
  NotFound,
  outcomeOf,
  type OutgoingCalendar,
  type Principal,
  recipientsOf,
  RecipientSuppressed,
  RelayUncertain,
  scheduledAt,
  SECOND,
  type SendBody,
  sendBodyOf,
} from "@mailroom/domain"
import { Clock, Context, Effect, Either, Layer, Option } from "effect"
import { ListedAddresses } from "../addressLists/ListedAddresses.js"
import { BlobDrafts } from "../blobs/BlobDrafts.js"
import { makeActiveAccounts } from "../workers/activeAccounts.js"
import { Ids } from "../ids/Ids.js"
import { type LogFields, logLine } from "../mailLog.js"
import { Metrics } from "../metrics.js"
import { Messages } from "../messages/Messages.js"
import { Vault } from "../ports/Crypto.js"
import { CallerParser } from "../parsing/CallerParser.js"
import { Settings } from "../ports/Settings.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { type SendFacts, SendStore } from "../ports/stores/SendStore.js"
import type { InTurn } from "../turns.js"
import { findAnswered, replyTo } from "./answered.js"
import { MailRouter, type Routed } from "./MailRouter.js"
import { OutgoingAttachments, type OutgoingFiles } from "./OutgoingAttachments.js"
import { OutgoingMails } from "./OutgoingMails.js"
import type { Outgoing } from "./outgoing.js"
import { SendCompletion } from "./SendCompletion.js"
import { senderDomain, SendRecorder, senderDomainStatus } from "./SendRecorder.js"
import { refusalFields } from "./refusalFields.js"
import { type Submitted, submittedOf } from "../submission/submitted.js"

/** Sends of one account that are prepared at the same time, so that other accounts get their share of the process. */
const SENDS_AT_ONCE = 2
/** Milliseconds without a finished send after which the waiting sends of an account stop waiting (`makeTurns`). */
const TURN_AWAITED_FOR = 2 * SECOND

/**
 * What is sent: the body of a request, a mail that a client submitted by SMTP, a reply to a message that was read before
 * (`calendar`: the answer to its invitation), or a draft. `isDue`: its time has come, or it was approved, and no caller sends it.
 */
type Source =
  | { readonly kind: "body" }
  | { readonly kind: "submitted"; readonly mail: Submitted }
  | { readonly kind: "reply"; readonly answered: MessageRecord; readonly calendar: OutgoingCalendar | null }
  | { readonly kind: "draft"; readonly draft: DraftRecord; readonly isDue: boolean }

interface Order {
  readonly mailboxId: MailboxId
  readonly body: SendBody
  readonly source: Source
  /** keep it as a draft until then; null: send it now */
  readonly sendAt: Instant | null
}

/** The outcome of a send: the message, or the draft that a policy holds or that waits for its time. */
export type SendResult =
  | { readonly kind: "sent"; readonly message: MessageRecord }
  | { readonly kind: "held"; readonly draft: DraftRecord }
  | { readonly kind: "scheduled"; readonly draft: DraftRecord }

export class Sending extends Context.Tag("@mailroom/Sending")<
  Sending,
  {
    /**
     * Sends a message and returns it as SENT; or keeps it as a draft, when `sendAt` names a later time or the policy of the
     * mailbox holds it. Fails with the first of these errors; then nothing is stored, and the send does not count in the day
     * and the month. The access rule, the body, the `Idempotency-Key` and unread responses are checked before, over HTTP; then
     * `sendAt`: `InvalidInput` when it has passed or is more than 90 days ahead.
     *
     * 1. The mailbox: `NotFound` when it does not exist or is out of scope. The message that `inReplyTo` names by its id
     *    here: as `Messages.get`.
     * 2. `admitSend`: account, mailbox and its sending health, domain, trial, test and disposable domains.
     * 3. `RecipientBlocked`.
     * 4. `RecipientSuppressed`.
     * 5. The attachments (`OutgoingAttachments.gather`): `AttachmentUnknown`, `PermissionDenied` for a file of a message
     *    without `read`, `OverInboundLimit` for one of a gated message, `SizeExceeded`; `Overloaded` when too many sends with
     *    large files wait.
     * 6. `SizeExceeded` for the encoded message (`OutgoingMails.prepare`).
     * 7. With the account locked (`SendRecorder.record`): `NotFound` when the mailbox was deleted meanwhile, `admitSend` and
     *    `RecipientBlocked` again, `AttachmentUnknown`, and `ThreadTakenOver` for a send of a key into a thread that a person
     *    answers. Then a send that is held or scheduled becomes a draft, which uses no quota: `DraftLimitReached`, `StorageFull`.
     * 8. Still locked, any other send: `StorageFull`, `MailLoopCut`, and the quotas: `SendVelocityExceeded`,
     *    `DailySendLimitReached` and `MonthlySendLimitReached` of the mailbox, `DailySendLimitReached` of the account.
     * 9. The recipients inside (`MailRouter.route`) and the relay: `RelayRefused`, `RelayUnavailable`. Such a send
     *    still counts in the velocity.
     *
     * `RelayUncertain` is no refusal: the mail may have been sent, and its message is UNKNOWN; or the relay accepted the mail,
     * and the mailbox was deleted before that was stored.
     */
    readonly send: (
      principal: Principal,
      mailboxId: MailboxId,
      body: SendBody,
    ) => Effect.Effect<SendResult, MailroomError>
    /**
     * As `send`, for a mail that a client submitted by SMTP: its body is sent unchanged, and `body` describes it. It may have
     * blind copies only, no subject and no text.
     */
    readonly sendSubmitted: (
      principal: Principal,
      mailboxId: MailboxId,
      body: SendBody,
      mail: Submitted,
    ) => Effect.Effect<SendResult, MailroomError>
    /** The errors 1 to 4 of `send` for these recipients, at least one; except those of `inReplyTo`. */
    readonly admit: (
      principal: Principal,
      mailboxId: MailboxId,
      recipients: ReadonlyArray<string>,
    ) => Effect.Effect<void, MailroomError>
    /**
     * As `send`, for a reply to `answered`: the caller has read it, so that it is not looked up by `body.inReplyTo`.
     * `calendar`: the answer to its invitation.
     */
    readonly sendReply: (
      principal: Principal,
      answered: MessageRecord,
      body: SendBody,
      calendar?: OutgoingCalendar | null,
    ) => Effect.Effect<SendResult, MailroomError>
    /**
     * As `send`, for a stored draft, which becomes the message: the draft is gone exactly when the message is recorded, and
     * is back when the relay refused it. An approved draft is not held. `sendAt` not null: keeps it until then.
     * `InvalidInput` for a draft that is not complete, `DigestMismatch` when it has changed since it was read, `NotFound`
     * when it is gone.
     */
    readonly sendDraft: (
      principal: Principal,
      draft: DraftRecord,
      sendAt: Instant | null,
    ) => Effect.Effect<SendResult, MailroomError>
    /**
     * As `sendDraft`, now, for a draft that is due: no caller sends it. A thread that a person has taken over accepts it when a
     * person has scheduled it, or has approved it since.
     */
    readonly sendDue: (principal: Principal, draft: DraftRecord) => Effect.Effect<SendResult, MailroomError>
  }
>() {
  static readonly layer = Layer.effect(
    Sending,
    Effect.gen(function* () {
      const domains = yield* DomainStore
      const messageStore = yield* MessageStore
      const sends = yield* SendStore
      const messages = yield* Messages
      const files = yield* OutgoingAttachments
      const blobDrafts = yield* BlobDrafts
      const parser = yield* CallerParser
      const mails = yield* OutgoingMails
      const lists = yield* ListedAddresses
      const router = yield* MailRouter
      const recorder = yield* SendRecorder
      const completion = yield* SendCompletion
      const ids = yield* Ids
      const vault = yield* Vault
      const { platformDomain } = yield* Settings
      const accounts = makeActiveAccounts(SENDS_AT_ONCE, TURN_AWAITED_FOR)

      const findByReference = findAnswered(messages, messageStore)

      /** The message that is answered, and the reply as the mail and a draft carry it. */
      const replyOf = Effect.fnUntraced(function* (principal: Principal, { mailboxId, body, source }: Order) {
        if (source.kind === "draft") {
          const { reply } = source.draft.content
          // The message may have been deleted since; its links stay.
          const answered =
            reply === null || reply.messageId === null
              ? Option.none()
              : yield* messageStore.byId(mailboxId, reply.messageId)
          return {
            answered: Option.filter(answered, ({ gate, quarantine }) => gate === null && quarantine === null),
            reply,
          }
        }
        const { inReplyTo } = body
        if (inReplyTo === undefined) return { answered: Option.none<MessageRecord>(), reply: null }
        const answered =
          source.kind === "reply"
            ? Option.some(source.answered)
            : yield* findByReference(principal, mailboxId, inReplyTo)
        const reply = replyTo(inReplyTo, answered)
        return {
          answered,
          reply: source.kind === "submitted" ? { ...reply, links: source.mail.links } : reply,
        }
      })

      /** The submitted mail of a send or a draft. Dies when the file of a draft is not the one that its digest covers. */
      const submittedIn = Effect.fnUntraced(function* (source: Source) {
        if (source.kind === "submitted") return source.mail
        const file = source.kind === "draft" ? source.draft.content.submitted : null
        if (source.kind !== "draft" || file === null) return null
        const { stored, raw } = yield* files.readMail(source.draft.accountId, file.id)
        if (vault.digest(raw) !== file.sha256)
          return yield* Effect.dieMessage(`the mail of draft ${source.draft.id} has changed`)
        return submittedOf(raw, yield* parser.parse(source.draft.accountId, raw), stored)
      })

      /** Dies when the files of a draft are not those that its digest covers, which no request can cause. */
      const checkFiles = (draft: DraftRecord, { bytes }: OutgoingFiles) =>
        draft.content.attachments.every(({ sha256 }, index) => {
          const content = bytes[index]
          return content !== undefined && vault.digest(content) === sha256
        })
          ? Effect.void
          : Effect.dieMessage(`the files of draft ${draft.id} have changed`)

      /**
       * Whether a machine wrote the answered message: it says so, or it came soon after the message of ours that it
       * replies to, or, without such a reference, soon after our last answer to its sender (docs/decisions/0032).
       */
      const answersMachine = Effect.fnUntraced(function* ({ content, createdAt }: MessageRecord) {
        if (content.direction === "OUTBOUND") return false
        if (content.automated) return true
        const named =
          content.inReplyTo === null
            ? Option.none()
            : yield* messageStore.byRfcId(content.mailboxId, content.inReplyTo)
        const ours = Option.isSome(named)
          ? Option.some(named.value.createdAt)
          : yield* sends.lastAnswer(content.mailboxId, correspondentOf(content), createdAt)
        return isMachineTurn({ automated: content.automated, createdAt }, Option.getOrNull(ours))
      })

      /** Reads the sender and the recipients. `NotFound` for a mailbox out of scope. */
      const factsOf = Effect.fnUntraced(
        function* ({ account, scope }: Principal, mailboxId: MailboxId, recipients: ReadonlyArray<string>) {
          if (!inScope(scope, mailboxId)) return yield* new NotFound({ resource: "mailbox" })
          return yield* Effect.flatten(sends.facts(account.id, mailboxId, recipients))
        },
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "mailbox" })),
      )

      /** Checks sender and recipients. Returns the custom domain of the sender. */
      const admit = Effect.fnUntraced(function* (
        { account, state }: Principal,
        { mailbox, suppressed }: SendFacts,
        recipients: ReadonlyArray<string>,
      ) {
        const domain = yield* senderDomain(domains, mailbox)
        const domainStatus = senderDomainStatus(mailbox, domain)
        yield* admitSend({ account, state, mailbox, domainStatus, platformDomain }, recipients)
        yield* lists.admitRecipients(account, mailbox.id, recipients)
        const address = recipients.find((recipient) => suppressed.has(recipient))
        if (address !== undefined) return yield* new RecipientSuppressed({ address })
        return domain
      })

      /** Checks the send rules, composes the message, and records it as SENDING, or keeps it as a draft. */
      const prepare = Effect.fnUntraced(function* (principal: Principal, order: Order) {
        const { mailboxId, body, source } = order
        const recipients = recipientsOf(body)
        const facts = yield* factsOf(principal, mailboxId, recipients)
        const { mailbox, inside, correspondents } = facts
        const { answered, reply } = yield* replyOf(principal, order)
        const domain = yield* admit(principal, facts, recipients)

        const draft = source.kind === "draft" ? source.draft : null
        const isDue = source.kind === "draft" && source.isDue
        const id = MessageId.make(draft?.id ?? (yield* ids.uuid))
        const { fullAddress } = mailbox
        const outgoingFiles = yield* files.gather(
          principal,
          { mailbox, id: DraftId.make(id), now: yield* Clock.currentTimeMillis },
          body.attachments ?? [],
        )
        // After the wait for a permit for large files: `UNKNOWN_AFTER` counts from this time.
        const now = yield* Clock.currentTimeMillis
        if (draft !== null) yield* checkFiles(draft, outgoingFiles)
        const submitted = yield* submittedIn(source)
        const outgoing: Outgoing = {
          id,
          rfcId: submitted?.messageId ?? `<${id}@${fullAddress.slice(fullAddress.lastIndexOf("@") + 1)}>`,
          mailbox,
          body,
          reply,
          attachments: outgoingFiles.records,
          now,
          answered: Option.getOrNull(answered),
          automaticTurn: Option.isSome(answered) && (yield* answersMachine(answered.value)),
          calendar: source.kind === "reply" ? source.calendar : (draft?.content.calendar ?? null),
          submitted,
          sentBy: namedActorOf(principal),
          byPerson: isDue && draft !== null ? draft.byPerson : isPerson(principal),
          newRecipients: neverWrittenTo(recipients, correspondents),
          known: knownAmong(correspondents),
          draft,
          isDue,
          sendAt: order.sendAt,
        }

        // Routed here, but a failure is reported last, because every other rule comes first.
        const routing = yield* Effect.either(router.route(fullAddress, recipients, inside))
        const routed = Either.getOrElse(routing, () => noRoutes)
        const mail = yield* mails.prepare(outgoing, outgoingFiles, domain, routed)
        const mayHold = source.kind === "submitted" && mailbox.policies.outboundPolicy !== "open"
        const keptMail = mayHold
          ? yield* files.keepMail(principal, { mailbox, id: DraftId.make(id), now }, source.mail.raw)
          : null
        const discardMail = blobDrafts.discard(keptMail?.ownBlobs ?? [])
        const recorded = yield* recorder
          .record(outgoing, outgoingFiles, mail.raw, mail.blobKeys, keptMail)
          // A typed failure rolled back. After a defect the message may be recorded and needs its blobs.
          .pipe(Effect.tapError(() => Effect.zipRight(mail.discard, discardMail)))
        if (recorded.kind === "recorded") yield* discardMail
        return { mail, recorded, routing, routed }
      })

      const sendOnce = Effect.fn("Sending.send")(function* (
        principal: Principal,
        order: Order,
        inTurn: InTurn,
      ) {
        const { mail, recorded, routing, routed } = yield* inTurn(prepare(principal, order))
        if (recorded.kind !== "recorded") {
          yield* mail.discardMails
          yield* logLine(recorded.kind === "held" ? "send held" : "send scheduled", {
            messageId: recorded.draft.id,
            accountId: principal.account.id,
            mailboxId: order.mailboxId,
          })
          return recorded satisfies SendResult
        }
        const about: LogFields = {
          messageId: recorded.message.content.id,
          accountId: principal.account.id,
          mailboxId: order.mailboxId,
          from: recorded.mailbox.fullAddress,
        }
        const delivered = [...mail.inside, ...mail.simulated]
        const bounces = yield* routing.pipe(
          Effect.flatMap(({ outside }) => router.relay(outside, mail.mailFor, about)),
          Effect.flatMap(outcomeOf),
          Effect.catchAll((failure) => completion.failed(recorded, failure, delivered)),
        )
        const message = yield* completion.sent(recorded, { inside: delivered, bounces }).pipe(
          // The mailbox was deleted during the relay transaction. 404 would say that nothing was sent.
          Effect.mapError((failure) =>
            failure._tag === "NotFound" && routed.outside.length > 0
              ? new RelayUncertain({
                  reason: "the relay accepted it, but its mailbox was deleted meanwhile",
                  messageId: recorded.message.content.id,
                })
              : failure,
          ),
        )
        const inside = mail.inside.flatMap(({ to }) => to)
        if (inside.length > 0)
          yield* logLine("mail sent", { ...about, to: inside, answer: "delivered inside" })
        if (routed.simulated.length > 0)
          yield* logLine("mail sent", { ...about, to: routed.simulated, answer: "taken by the simulator" })
        yield* Metrics.messageSent
        return { kind: "sent", message } satisfies SendResult
      }, Effect.scoped)

      /** As `sendOnce`; starts again when the policy of the mailbox began to hold sends meanwhile. */
      const send = (...parameters: Parameters<typeof sendOnce>) =>
        sendOnce(...parameters).pipe(
          Effect.catchTag("HeldMeanwhile", () => sendOnce(...parameters)),
          Effect.catchTag("HeldMeanwhile", Effect.die),
        )

      /**
       * Uninterruptible, because a disconnected client cannot undo what the relay accepted. Only the wait for the turn,
       * before anything is recorded, can be interrupted.
       */
      const sendInTurn = (principal: Principal, order: Order) =>
        Effect.suspend(() =>
          accounts.during(principal.account.id, (inTurn) => send(principal, order, inTurn)),
        ).pipe(
          // Requests that fail before (access, body, `Idempotency-Key`, unread responses, `sendAt`, the message to reply to) have no line.
          Effect.tapError((refusal) =>
            logLine(refusal._tag === "RelayUncertain" ? "send uncertain" : "send refused", {
              accountId: principal.account.id,
              mailboxId: order.mailboxId,
              to: recipientsOf(order.body),
              ...refusalFields(refusal),
            }),
          ),
          Effect.uninterruptible,
        )

      /** Sends the body of a request, now or at its `sendAt`. */
      const sendBody = (principal: Principal, mailboxId: MailboxId, body: SendBody, source: Source) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.flatMap(
            body.sendAt === undefined ? Either.right(null) : scheduledAt(body.sendAt, now),
            (sendAt) => sendInTurn(principal, { mailboxId, body, source, sendAt }),
          ),
        )

      const sendStored = (principal: Principal, draft: DraftRecord, isDue: boolean, sendAt: Instant | null) =>
        Effect.flatMap(sendBodyOf(draft.content), (body) =>
          sendInTurn(principal, {
            mailboxId: draft.mailboxId,
            body,
            source: { kind: "draft", draft, isDue },
            sendAt,
          }),
        )

      return {
        send: (principal, mailboxId, body) => sendBody(principal, mailboxId, body, { kind: "body" }),
        sendSubmitted: (principal, mailboxId, body, mail) =>
          sendBody(principal, mailboxId, body, { kind: "submitted", mail }),
        admit: (principal, mailboxId, recipients) =>
          Effect.flatMap(factsOf(principal, mailboxId, recipients), (facts) =>
            Effect.asVoid(admit(principal, facts, recipients)),
          ),
        sendReply: (principal, answered, body, calendar = null) =>
          sendBody(principal, answered.content.mailboxId, body, { kind: "reply", answered, calendar }),
        sendDraft: (principal, draft, sendAt) => sendStored(principal, draft, false, sendAt),
        sendDue: (principal, draft) => sendStored(principal, draft, true, null),
      }
    }),
  )
}

/** The recipients to whom the mailbox has not written before. */
const neverWrittenTo = (
  recipients: ReadonlyArray<string>,
  correspondents: SendFacts["correspondents"],
): ReadonlyArray<string> => {
  const written = new Set(
    correspondents.flatMap(({ address, writtenAt }) => (writtenAt === null ? [] : [address])),
  )
  return recipients.filter((recipient) => !written.has(recipient))
}

/** The recipients that wrote to the mailbox, or that a person approved for it. */
const knownAmong = (correspondents: SendFacts["correspondents"]): ReadonlySet<string> =>
  new Set(
    correspondents.flatMap(({ address, heardAt, approvedAt }) =>
      heardAt === null && approvedAt === null ? [] : [address],
    ),
  )

/** The routes of a send whose routing failed: the mail is composed for nobody inside. */
const noRoutes: Routed = { inside: [], simulated: [], outside: [] }
