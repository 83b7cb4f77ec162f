/**
 * Sending a message (spec, Send rules; decisions §3). The message and the quota it uses are recorded before the relay
 * is called, and settled after: a refusal gives everything back, and a crash in between never sends twice.
 */
import {
  admitSend,
  type DomainRecord,
  isBulk,
  isMachineTurn,
  type MailboxId,
  type MailroomError,
  MESSAGE_MAX_BYTES,
  MessageId,
  noReply,
  type Principal,
  RawMailId,
  recipientsOf,
  RecipientSuppressed,
  RelayUncertain,
  replyTo,
  replyToUnknown,
  type SendBody,
  SizeExceeded,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { SigningKeys } from "../domains/SigningKeys.js"
import { Ids } from "../ids/Ids.js"
import { INLINE_MAX_BYTES } from "../inbound/rawContent.js"
import { Metrics } from "../metrics.js"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { Messages } from "../messages/Messages.js"
import { Blobs } from "../ports/Blobs.js"
import { MailSigner } from "../ports/MailSigner.js"
import { MimeComposer } from "../ports/MimeComposer.js"
import type { RawContent } from "../ports/Reception.js"
import { ProviderReports } from "../ports/ProviderReports.js"
import { Settings } from "../ports/Settings.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { SuppressionStore } from "../ports/stores/SuppressionStore.js"
import { ReturnPaths } from "../reports/ReturnPaths.js"
import { MailRouter } from "./MailRouter.js"
import { OutgoingAttachments } from "./OutgoingAttachments.js"
import { draftOf, type Outgoing } from "./prepare.js"
import { senderDomain, statusForSender } from "./senderDomain.js"
import { SendBookkeeping } from "./SendBookkeeping.js"

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
      const domains = yield* DomainStore
      const messageStore = yield* MessageStore
      const suppressions = yield* SuppressionStore
      const mailboxes = yield* Mailboxes
      const messages = yield* Messages
      const files = yield* OutgoingAttachments
      const composer = yield* MimeComposer
      const router = yield* MailRouter
      const bookkeeping = yield* SendBookkeeping
      const blobs = yield* Blobs
      const ids = yield* Ids
      const keys = yield* SigningKeys
      const signer = yield* MailSigner
      const returnPaths = yield* ReturnPaths
      const provider = yield* ProviderReports
      const { platformDomain } = yield* Settings

      /** What the body answers. An id of ours must be there; a foreign one may be unknown, and is when it is gated. */
      const answeredBy = Effect.fnUntraced(function* (
        principal: Principal,
        mailboxId: MailboxId,
        inReplyTo: string,
      ) {
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

      /** Whether a machine wrote what is answered. */
      const answersMachine = Effect.fnUntraced(function* ({ content, createdAt }: MessageRecord) {
        if (content.direction === "OUTBOUND") return false
        const ours =
          content.inReplyTo === null
            ? Option.none()
            : yield* messageStore.byRfcId(content.mailboxId, content.inReplyTo)
        return isMachineTurn({ automated: content.automated, createdAt }, Option.getOrNull(ours))
      })

      const keyFor = (domain: Option.Option<DomainRecord>) =>
        Option.match(domain, { onNone: () => keys.ofPlatform, onSome: keys.ofDomain })

      const keepRaw = Effect.fnUntraced(function* (id: RawMailId, raw: Uint8Array) {
        if (raw.length <= INLINE_MAX_BYTES) return { kind: "inline", bytes: raw } satisfies RawContent
        const key = rawBlobKey(id)
        const { sizeBytes } = yield* blobs.put(key, Stream.make(raw))
        return { kind: "blob", key, sizeBytes } satisfies RawContent
      })

      const send = Effect.fn("Sending.send")(function* (
        principal: Principal,
        mailboxId: MailboxId,
        body: SendBody,
      ) {
        const mailbox = yield* mailboxes.require(principal, mailboxId)
        const answered =
          body.inReplyTo === undefined
            ? Option.none()
            : yield* answeredBy(principal, mailboxId, body.inReplyTo)
        const { account, state } = principal
        const recipients = recipientsOf(body)
        const domain = yield* senderDomain(domains, mailbox)
        const domainStatus = statusForSender(mailbox, domain)
        yield* admitSend({ account, state, mailbox, domainStatus, platformDomain }, recipients)
        const [suppressed] = yield* suppressions.among(account.id, recipients)
        if (suppressed !== undefined) return yield* new RecipientSuppressed({ address: suppressed })

        const now = yield* Clock.currentTimeMillis
        const id = MessageId.make(yield* ids.uuid)
        const outgoingFiles = yield* files.gather(
          principal,
          { mailbox, messageId: id, now },
          body.attachments ?? [],
        )
        const rawId = RawMailId.make(yield* ids.uuid)
        const returnPath = returnPaths.of("bounces", id, mailbox.fullAddress)
        const { raw, recorded } = yield* Effect.gen(function* () {
          const outgoing: Outgoing = {
            id,
            rfcId: `<${id}@${mailbox.fullAddress.slice(mailbox.fullAddress.lastIndexOf("@") + 1)}>`,
            mailbox,
            body,
            links: linksTo(body.inReplyTo, answered),
            attachments: outgoingFiles.records,
            now,
            answered: Option.getOrNull(answered),
            automaticTurn: Option.isSome(answered) && (yield* answersMachine(answered.value)),
            unsubscribe: isBulk(recipients) ? returnPaths.of("unsub", id, mailbox.fullAddress) : null,
          }
          const draft = draftOf(outgoing, outgoingFiles.bytes)
          const composed = yield* composer.compose({
            ...draft,
            headers: { ...draft.headers, ...provider.headersFor(returnPath) },
          })
          const raw = yield* signer.sign(composed, yield* keyFor(domain))
          if (raw.length > MESSAGE_MAX_BYTES)
            return yield* new SizeExceeded({ what: "the encoded message", limitBytes: MESSAGE_MAX_BYTES })
          const content = yield* keepRaw(rawId, raw)
          return {
            raw,
            recorded: yield* bookkeeping.record(outgoing, outgoingFiles, { id: rawId, content }),
          }
        }).pipe(Effect.onError(() => blobs.remove([...outgoingFiles.ownBlobs, rawBlobKey(rawId)])))

        const routed = yield* router.route(recipients).pipe(
          Effect.tap((routed) => router.relay({ from: returnPath, envelopeId: id }, routed, raw)),
          // The mail may be on its way: nothing is given back, and only its sender may say that it is sent again.
          Effect.catchTag("RelayUncertain", ({ reason }) =>
            Effect.zipRight(
              bookkeeping.lose([recorded.message]),
              new RelayUncertain({ reason, messageId: id }),
            ),
          ),
          Effect.tapError((error) =>
            error._tag === "RelayUncertain"
              ? Effect.void
              : Effect.flatMap(bookkeeping.giveBack(recorded), blobs.remove),
          ),
        )
        return yield* Effect.zipLeft(
          bookkeeping.settle(recorded.message, mailbox, routed, raw.length),
          Metrics.messageSent,
        )
      })

      // A client that hangs up does not undo what the relay may already have taken.
      return {
        send: (principal, mailboxId, body) => Effect.uninterruptible(send(principal, mailboxId, body)),
      }
    }),
  )
}

const rawBlobKey = (id: RawMailId): string => `raw/${id}`
