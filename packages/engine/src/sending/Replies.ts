/**
 * Replies to messages, answers their invitations, and forwards them, by `Sending` (`spec: decisions.messages.reply`,
 * `messages.rsvp.201`, `decisions.messages.forward`).
 */
import {
  type Audience,
  type ForwardBody,
  forwardOf,
  type MailboxId,
  type MailroomError,
  type MessageId,
  type Principal,
  type ReplyBody,
  replyOf,
  requirePermission,
  type RsvpBody,
  rsvpTo,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { readRawStart } from "../inbound/rawContent.js"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { Messages } from "../messages/Messages.js"
import { Blobs } from "../ports/Blobs.js"
import { CallerParser } from "../parsing/CallerParser.js"
import type { MessageRecord } from "../ports/stores/MessageStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { Sending, type SendResult } from "./Sending.js"

/** Bytes of a mail that are read for its header. */
const HEADER_MAX_BYTES = 1024 * 1024

export class Replies extends Context.Tag("@mailroom/Replies")<
  Replies,
  {
    /**
     * Replies to a message in its thread. Fails as `Messages.get`; then with `NobodyToAnswer` when there is no address to
     * reply to, and `InvalidInput` for more than 50 recipients in To or Cc; then as `Sending.send`.
     */
    readonly reply: (
      principal: Principal,
      mailboxId: MailboxId,
      id: MessageId,
      audience: Audience,
      body: ReplyBody,
    ) => Effect.Effect<SendResult, MailroomError>
    /**
     * Answers the invitation in a message, to its organizer, in its thread. Fails as `reply` does, and when the message has no
     * invitation, asks for no answer, or does not invite the mailbox.
     */
    readonly rsvp: (
      principal: Principal,
      mailboxId: MailboxId,
      id: MessageId,
      answer: RsvpBody,
    ) => Effect.Effect<SendResult, MailroomError>
    /**
     * Sends a message with its attachments to others, in a new thread. Fails with `PermissionDenied` without the permission to
     * read, because the forward shows the message; then as `Messages.get`; then with `InvalidInput` for
     * more than 20 attachments, those of the message included; then as `Sending.send`.
     */
    readonly forward: (
      principal: Principal,
      mailboxId: MailboxId,
      id: MessageId,
      body: ForwardBody,
    ) => Effect.Effect<SendResult, MailroomError>
  }
>() {
  static readonly layer = Layer.effect(
    Replies,
    Effect.gen(function* () {
      const mailboxes = yield* Mailboxes
      const messages = yield* Messages
      const rawMails = yield* RawMailStore
      const blobs = yield* Blobs
      const parser = yield* CallerParser
      const sending = yield* Sending

      /**
       * All addresses of the Reply-To field. The message stores only the first, and its decoded header cannot be parsed
       * again, because a display name may contain a comma or an angle bracket. So the raw mail is parsed.
       */
      const replyAddresses = Effect.fnUntraced(function* ({ accountId, content, rawId }: MessageRecord) {
        if (content.direction === "OUTBOUND" || content.replyTo === null) return []
        const raw = rawId === null ? Option.none() : yield* rawMails.byId(rawId)
        if (Option.isNone(raw)) return [content.replyTo]
        const header = yield* readRawStart(blobs, raw.value.content, HEADER_MAX_BYTES)
        const { replyTo } = yield* parser.parse(accountId, header)
        return [content.replyTo, ...replyTo.map(({ address }) => address)]
      })

      return {
        reply: Effect.fn("Replies.reply")(function* (principal, mailboxId, id, audience, body) {
          const mailbox = yield* mailboxes.require(principal, mailboxId)
          const message = yield* messages.getIn(principal, mailbox, id)
          const answered = { ...message.content, replyTo: yield* replyAddresses(message) }
          const sendBody = yield* replyOf(answered, mailbox.fullAddress, audience, body)
          return yield* sending.sendReply(principal, message, sendBody)
        }),

        rsvp: Effect.fn("Replies.rsvp")(function* (principal, mailboxId, id, answer) {
          const mailbox = yield* mailboxes.require(principal, mailboxId)
          const message = yield* messages.getIn(principal, mailbox, id)
          const now = yield* Clock.currentTimeMillis
          const { body, calendar } = yield* rsvpTo(message.content, mailbox, answer, now)
          return yield* sending.sendReply(principal, message, body, calendar)
        }),

        forward: Effect.fn("Replies.forward")(function* (principal, mailboxId, id, body) {
          yield* requirePermission(principal, ["read"])
          const message = yield* messages.get(principal, mailboxId, id)
          return yield* sending.send(principal, mailboxId, yield* forwardOf(message, body))
        }),
      }
    }),
  )
}
