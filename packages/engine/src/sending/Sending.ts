/**
 * Sending a message (spec, Send rules; decisions §3). The message and the quota it uses are recorded before the relay
 * is called, and settled after: a refusal gives everything back, and a crash in between never sends twice.
 */
import {
  admitSend,
  type MailboxId,
  type MailroomError,
  MESSAGE_MAX_BYTES,
  MessageId,
  noReply,
  type Principal,
  RawMailId,
  recipientsOf,
  RecipientSuppressed,
  replyTo,
  replyToUnknown,
  type SendBody,
  SizeExceeded,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { Ids } from "../ids/Ids.js"
import { INLINE_MAX_BYTES } from "../inbound/rawContent.js"
import { Metrics } from "../metrics.js"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { Messages } from "../messages/Messages.js"
import { Blobs } from "../ports/Blobs.js"
import { MimeComposer } from "../ports/MimeComposer.js"
import type { RawContent } from "../ports/Reception.js"
import { Settings } from "../ports/Settings.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { SuppressionStore } from "../ports/stores/SuppressionStore.js"
import { MailRouter } from "./MailRouter.js"
import { OutgoingAttachments } from "./OutgoingAttachments.js"
import { draftOf, type Outgoing } from "./prepare.js"
import { senderDomainStatus } from "./senderDomain.js"
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
      const { platformDomain } = yield* Settings

      /** What the body answers. An id of ours must be there; a foreign one may be unknown, and is when it is gated. */
      const linksTo = Effect.fnUntraced(function* (
        principal: Principal,
        mailboxId: MailboxId,
        inReplyTo: string,
      ) {
        if (!inReplyTo.startsWith("<"))
          return replyTo((yield* messages.get(principal, mailboxId, MessageId.make(inReplyTo))).content)
        const parent = yield* messageStore.byRfcId(mailboxId, inReplyTo)
        return Option.match(
          Option.filter(parent, ({ gate }) => gate === null),
          { onNone: () => replyToUnknown(inReplyTo), onSome: ({ content }) => replyTo(content) },
        )
      })

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
        const links =
          body.inReplyTo === undefined ? noReply : yield* linksTo(principal, mailboxId, body.inReplyTo)
        const { account, state } = principal
        const recipients = recipientsOf(body)
        const domainStatus = yield* senderDomainStatus(domains, mailbox)
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
          return yield* bookkeeping.record(outgoing, outgoingFiles, { id: rawId, content })
        }).pipe(Effect.onError(() => blobs.remove([...outgoingFiles.ownBlobs, rawBlobKey(rawId)])))

        const routed = yield* router.route(recipients).pipe(
          Effect.tap((routed) => router.relay(mailbox.fullAddress, routed, raw)),
          Effect.tapError(() => Effect.flatMap(bookkeeping.giveBack(recorded), blobs.remove)),
        )
        return yield* Effect.zipLeft(
          bookkeeping.settle(recorded.message, mailbox, routed),
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
