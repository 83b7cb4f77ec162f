/**
 * Sending a message (spec, Send rules; decisions §3). The message and the quota it uses are recorded before the relay
 * is called, and settled after: a refusal gives everything back, and a crash in between never sends twice.
 */
import {
  admitSend,
  correspondentOf,
  inScope,
  isMachineTurn,
  type MailboxId,
  type MailroomError,
  MessageId,
  noReply,
  NotFound,
  outcomeOf,
  type Principal,
  recipientsOf,
  RecipientSuppressed,
  replyTo,
  replyToUnknown,
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
import { SendStore } from "../ports/stores/SendStore.js"
import type { InTurn } from "../turns.js"
import { MailRouter, type Routed } from "./MailRouter.js"
import { OutgoingAttachments } from "./OutgoingAttachments.js"
import { OutgoingMails } from "./OutgoingMails.js"
import type { Outgoing } from "./prepare.js"
import { senderDomain, statusForSender } from "./senderDomain.js"
import { SendBookkeeping } from "./SendBookkeeping.js"
import { SendEnding } from "./SendEnding.js"

/** Sends of one account that are prepared at one time: those of another account share the process with these. */
const SENDS_AT_ONCE = 2
/** Milliseconds without the end of a send until others of its account no longer wait for their turn (`makeTurns`). */
const TURN_AWAITED_FOR = 2 * SECOND

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
    /** The same for an answer, to a message that the principal may read and that was read already. */
    readonly answer: (
      principal: Principal,
      answered: MessageRecord,
      body: SendBody,
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
      const bookkeeping = yield* SendBookkeeping
      const ending = yield* SendEnding
      const ids = yield* Ids
      const { platformDomain } = yield* Settings
      const accounts = makeActiveAccounts(SENDS_AT_ONCE, TURN_AWAITED_FOR)

      /** What the body answers. An id of ours must be there; a foreign one may be unknown, and is when it is gated. */
      const answeredBy = Effect.fnUntraced(function* (
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
        if (inReplyTo === undefined) return noReply
        return Option.match(answered, {
          onNone: () => replyToUnknown(inReplyTo),
          onSome: ({ content }) => replyTo(content),
        })
      }

      /**
       * Whether a machine wrote what is answered: it came soon after what it names of ours, or, when it names nothing of
       * ours, after our last answer to its sender.
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

      /** The sender, and what is known of the recipients; the mailbox must be in scope. */
      const factsOf = Effect.fnUntraced(
        function* ({ account, scope }: Principal, mailboxId: MailboxId, recipients: ReadonlyArray<string>) {
          if (!inScope(scope, mailboxId)) return yield* new NotFound({ resource: "mailbox" })
          return yield* Effect.flatten(sends.facts(account.id, mailboxId, recipients))
        },
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "mailbox" })),
      )

      /** Judges and composes the message, and records it as SENDING. */
      const prepare = Effect.fnUntraced(function* (
        principal: Principal,
        mailboxId: MailboxId,
        body: SendBody,
        known: MessageRecord | null,
      ) {
        const { account, state } = principal
        const recipients = recipientsOf(body)
        const { mailbox, suppressed, inside } = yield* factsOf(principal, mailboxId, recipients)
        const answered =
          known === null ? yield* answeredBy(principal, mailboxId, body.inReplyTo) : Option.some(known)
        const domain = yield* senderDomain(domains, mailbox)
        const domainStatus = statusForSender(mailbox, domain)
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
        }

        // Judged now and told last, because every other rule comes first.
        const routing = yield* Effect.either(router.route(recipients, inside))
        const routed = Either.getOrElse(routing, () => nowhere)
        const mail = yield* mails.prepare(outgoing, outgoingFiles, domain, routed.inside)
        const recorded = yield* bookkeeping
          .record(outgoing, outgoingFiles, mail.raw, mail.blobKeys)
          // A refusal rolled back. After any other failure the message may be recorded, and needs its files.
          .pipe(Effect.tapError(() => mail.discard))
        return { mail, recorded, routing }
      })

      const send = Effect.fn("Sending.send")(function* (
        principal: Principal,
        mailboxId: MailboxId,
        body: SendBody,
        known: MessageRecord | null,
        inTurn: InTurn,
      ) {
        const { mail, recorded, routing } = yield* inTurn(prepare(principal, mailboxId, body, known))
        const about: LogFields = {
          messageId: recorded.message.content.id,
          accountId: principal.account.id,
          mailboxId,
          from: recorded.mailbox.fullAddress,
        }
        const bounces = yield* routing.pipe(
          Effect.flatMap(({ outside }) => router.relay(outside, mail.mailFor, about)),
          Effect.flatMap(outcomeOf),
          Effect.catchAll((failure) => ending.failed(recorded, failure)),
        )
        const sent = yield* ending.sent(recorded, { inside: mail.inside, bounces })
        const inside = mail.inside.flatMap(({ to }) => to)
        if (inside.length > 0)
          yield* logLine("mail sent", { ...about, to: inside, answer: "delivered inside" })
        yield* Metrics.messageSent
        return sent
      })

      /**
       * A client that hangs up does not undo what the relay may already have taken: only the wait for the turn, before
       * anything was recorded, can be interrupted.
       */
      const oneOfAccount = (
        principal: Principal,
        mailboxId: MailboxId,
        body: SendBody,
        known: MessageRecord | null,
      ) =>
        Effect.suspend(() =>
          accounts.during(principal.account.id, (inTurn) => send(principal, mailboxId, body, known, inTurn)),
        ).pipe(
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
        send: (principal, mailboxId, body) => oneOfAccount(principal, mailboxId, body, null),
        answer: (principal, answered, body) =>
          oneOfAccount(principal, answered.content.mailboxId, body, answered),
      }
    }),
  )
}

/** The routes of a send that will be refused. */
const nowhere: Routed = { inside: [], outside: [] }
