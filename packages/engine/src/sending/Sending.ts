/**
 * Sends messages (`spec: messages.send.201`). The message and the quota it uses are recorded before the relay is called: a
 * refusal by the relay rolls both back, and a crash in between never sends twice.
 */
import {
  admitSend,
  correspondentOf,
  inScope,
  isMachineTurn,
  type MailboxId,
  type MailroomError,
  MessageId,
  noLinks,
  NotFound,
  outcomeOf,
  type OutgoingCalendar,
  type Principal,
  recipientsOf,
  RecipientSuppressed,
  linksOfReply,
  linksOfReplyToUnknown,
  SECOND,
  type SendBody,
} from "@mailroom/domain"
import { Clock, Context, Effect, Either, Layer, Option } from "effect"
import { makeActiveAccounts } from "../workers/activeAccounts.js"
import { Ids } from "../ids/Ids.js"
import { type LogFields, logLine } from "../mailLog.js"
import { Metrics } from "../metrics.js"
import { Messages } from "../messages/Messages.js"
import { Settings } from "../ports/Settings.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { type SendFacts, SendStore } from "../ports/stores/SendStore.js"
import type { InTurn } from "../turns.js"
import { MailRouter, type Routed } from "./MailRouter.js"
import { OutgoingAttachments } from "./OutgoingAttachments.js"
import { OutgoingMails } from "./OutgoingMails.js"
import type { Outgoing } from "./outgoing.js"
import { SendCompletion } from "./SendCompletion.js"
import { senderDomain, SendRecorder, senderDomainStatus } from "./SendRecorder.js"

/** Sends of one account that are prepared at the same time, so that other accounts get their share of the process. */
const SENDS_AT_ONCE = 2
/** Milliseconds without a finished send after which the waiting sends of an account stop waiting (`makeTurns`). */
const TURN_AWAITED_FOR = 2 * SECOND

/** A message that a reply answers, and that was read before. */
interface RepliedTo {
  readonly message: MessageRecord
  /** the answer to its invitation; null for another reply */
  readonly calendar: OutgoingCalendar | null
}

export class Sending extends Context.Tag("@mailroom/Sending")<
  Sending,
  {
    /**
     * Sends a message and returns it as SENT. Fails with the first of these errors; then no message is stored, and the send
     * does not count in the day and the month. The access rule, the body and the `Idempotency-Key` are checked before, over
     * HTTP.
     *
     * 1. The mailbox: `NotFound` when it does not exist or is out of scope. The message that `inReplyTo` names by its id
     *    here: as `Messages.get`.
     * 2. `admitSend`.
     * 3. `RecipientSuppressed`.
     * 4. The attachments (`OutgoingAttachments.gather`): `AttachmentUnknown`, `OverInboundLimit` for one of a gated message,
     *    `SizeExceeded`.
     * 5. `SizeExceeded` for the encoded message (`OutgoingMails.prepare`).
     * 6. With the account locked (`SendRecorder.record`): `admitSend` again, `AttachmentUnknown`, `StorageFull`,
     *    `MailLoopCut`, and the quotas: `SendVelocityExceeded`, `DailySendLimitReached`, `MonthlySendLimitReached`.
     * 7. The recipients inside (`MailRouter.route`) and the relay: `RelayRefused`, `RelayUnavailable`. The minute of the
     *    velocity keeps such a send.
     *
     * `RelayUncertain` is no refusal: the mail may have been sent, and its message is UNKNOWN.
     */
    readonly send: (
      principal: Principal,
      mailboxId: MailboxId,
      body: SendBody,
    ) => Effect.Effect<MessageRecord, MailroomError>
    /**
     * As `send`, for a reply to `answered`: the caller has read it, so that it is not looked up by `body.inReplyTo`.
     * `calendar`: the answer to its invitation.
     */
    readonly sendReply: (
      principal: Principal,
      answered: MessageRecord,
      body: SendBody,
      calendar?: OutgoingCalendar | null,
    ) => Effect.Effect<MessageRecord, MailroomError>
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
      const mails = yield* OutgoingMails
      const router = yield* MailRouter
      const recorder = yield* SendRecorder
      const completion = yield* SendCompletion
      const ids = yield* Ids
      const { platformDomain } = yield* Settings
      const accounts = makeActiveAccounts(SENDS_AT_ONCE, TURN_AWAITED_FOR)

      /**
       * The message that `inReplyTo` names. By its id here it fails as `Messages.get`: `NotFound`, or `OverInboundLimit` for
       * a gated one. By an RFC 5322 Message-ID it is none when it is unknown or gated.
       */
      const findAnswered = Effect.fnUntraced(function* (
        principal: Principal,
        mailboxId: MailboxId,
        inReplyTo: string | undefined,
      ) {
        if (inReplyTo === undefined) return Option.none()
        if (!inReplyTo.startsWith("<"))
          return yield* Effect.asSome(messages.get(principal, mailboxId, MessageId.make(inReplyTo)))
        return Option.filter(yield* messageStore.byRfcId(mailboxId, inReplyTo), ({ gate }) => gate === null)
      })

      const linksTo = (inReplyTo: string | undefined, answered: Option.Option<MessageRecord>) => {
        if (inReplyTo === undefined) return noLinks
        return Option.match(answered, {
          onNone: () => linksOfReplyToUnknown(inReplyTo),
          onSome: ({ content }) => linksOfReply(content),
        })
      }

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

      /**
       * Checks the send rules, composes the message, and records it as SENDING. `repliedTo`: the answered message; null:
       * look it up by `body.inReplyTo`.
       */
      const prepare = Effect.fnUntraced(function* (
        principal: Principal,
        mailboxId: MailboxId,
        body: SendBody,
        repliedTo: RepliedTo | null,
      ) {
        const { account, state } = principal
        const recipients = recipientsOf(body)
        const { mailbox, suppressed, inside, correspondents } = yield* factsOf(
          principal,
          mailboxId,
          recipients,
        )
        const answered =
          repliedTo === null
            ? yield* findAnswered(principal, mailboxId, body.inReplyTo)
            : Option.some(repliedTo.message)
        const domain = yield* senderDomain(domains, mailbox)
        const domainStatus = senderDomainStatus(mailbox, domain)
        yield* admitSend({ account, state, mailbox, domainStatus, platformDomain }, recipients)
        const address = recipients.find((recipient) => suppressed.has(recipient))
        if (address !== undefined) return yield* new RecipientSuppressed({ address })

        const now = yield* Clock.currentTimeMillis
        const id = MessageId.make(yield* ids.uuid)
        const { fullAddress } = mailbox
        const outgoingFiles = yield* files.gather(
          principal,
          { mailbox, messageId: id, now },
          body.attachments ?? [],
        )
        const outgoing: Outgoing = {
          id,
          rfcId: `<${id}@${fullAddress.slice(fullAddress.lastIndexOf("@") + 1)}>`,
          mailbox,
          body,
          links: linksTo(body.inReplyTo, answered),
          attachments: outgoingFiles.records,
          now,
          answered: Option.getOrNull(answered),
          automaticTurn: Option.isSome(answered) && (yield* answersMachine(answered.value)),
          calendar: repliedTo?.calendar ?? null,
          newRecipients: neverWrittenTo(recipients, correspondents),
        }

        // Routed here, but a failure is reported last, because every other rule comes first.
        const routing = yield* Effect.either(router.route(recipients, inside))
        const routed = Either.getOrElse(routing, () => noRoutes)
        const mail = yield* mails.prepare(outgoing, outgoingFiles, domain, routed.inside)
        const recorded = yield* recorder
          .record(outgoing, outgoingFiles, mail.raw, mail.blobKeys)
          // A typed failure rolled back. After a defect the message may be recorded and needs its blobs.
          .pipe(Effect.tapError(() => mail.discard))
        return { mail, recorded, routing }
      })

      const send = Effect.fn("Sending.send")(function* (
        principal: Principal,
        mailboxId: MailboxId,
        body: SendBody,
        repliedTo: RepliedTo | null,
        inTurn: InTurn,
      ) {
        const { mail, recorded, routing } = yield* inTurn(prepare(principal, mailboxId, body, repliedTo))
        const about: LogFields = {
          messageId: recorded.message.content.id,
          accountId: principal.account.id,
          mailboxId,
          from: recorded.mailbox.fullAddress,
        }
        const bounces = yield* routing.pipe(
          Effect.flatMap(({ outside }) => router.relay(outside, mail.mailFor, about)),
          Effect.flatMap(outcomeOf),
          Effect.catchAll((failure) => completion.failed(recorded, failure)),
        )
        const sent = yield* completion.sent(recorded, { inside: mail.inside, bounces })
        const inside = mail.inside.flatMap(({ to }) => to)
        if (inside.length > 0)
          yield* logLine("mail sent", { ...about, to: inside, answer: "delivered inside" })
        yield* Metrics.messageSent
        return sent
      })

      /**
       * Uninterruptible, because a disconnected client cannot undo what the relay accepted. Only the wait for the turn,
       * before anything is recorded, can be interrupted.
       */
      const sendInTurn = (
        principal: Principal,
        mailboxId: MailboxId,
        body: SendBody,
        repliedTo: RepliedTo | null,
      ) =>
        Effect.suspend(() =>
          accounts.during(principal.account.id, (inTurn) =>
            send(principal, mailboxId, body, repliedTo, inTurn),
          ),
        ).pipe(
          // Logs the class of the error, and not the code over HTTP. `RelayUncertain` has the same line, though the mail may
          // have been sent. Requests that fail before (access, body, `Idempotency-Key`, the message to reply to) have none.
          Effect.tapError((refusal) =>
            logLine("send refused", {
              accountId: principal.account.id,
              mailboxId,
              to: recipientsOf(body),
              reason: refusal._tag,
            }),
          ),
          Effect.uninterruptible,
        )

      return {
        send: (principal, mailboxId, body) => sendInTurn(principal, mailboxId, body, null),
        sendReply: (principal, message, body, calendar = null) =>
          sendInTurn(principal, message.content.mailboxId, body, { message, calendar }),
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

/** The routes of a send whose routing failed: the mail is composed for nobody inside. */
const noRoutes: Routed = { inside: [], outside: [] }
