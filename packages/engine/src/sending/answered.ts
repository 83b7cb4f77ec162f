/** Finds the message that a send or a draft answers, by the `inReplyTo` of a request. */
import {
  type DraftReply,
  linksOfReply,
  linksOfReplyToUnknown,
  type MailboxId,
  type MailroomError,
  MessageId,
  type Principal,
} from "@mailroom/domain"
import { Effect, Option } from "effect"
import type { Messages } from "../messages/Messages.js"
import type { MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"

/**
 * Returns the message that `inReplyTo` names. By its id here it fails as `Messages.get`: `NotFound`, or `OverInboundLimit`
 * for a gated one. By an RFC 5322 Message-ID it is none when it is unknown, gated or quarantined.
 */
export const findAnswered = (messages: typeof Messages.Service, store: typeof MessageStore.Service) =>
  Effect.fnUntraced(function* (
    principal: Principal,
    mailboxId: MailboxId,
    inReplyTo: string,
  ): Effect.fn.Return<Option.Option<MessageRecord>, MailroomError> {
    if (!inReplyTo.startsWith("<"))
      return yield* Effect.asSome(messages.get(principal, mailboxId, MessageId.make(inReplyTo)))
    return Option.filter(
      yield* store.byRfcId(mailboxId, inReplyTo),
      ({ gate, quarantine }) => gate === null && quarantine === null,
    )
  })

/**
 * The reply to a message, which `inReplyTo` names. A reply to an automatic mail declares to be one, so that no machine answers
 * it (RFC 3834 §2, §5).
 */
export const replyTo = (inReplyTo: string, answered: Option.Option<MessageRecord>): DraftReply =>
  Option.match(answered, {
    onNone: () => ({
      inReplyTo,
      messageId: null,
      links: linksOfReplyToUnknown(inReplyTo),
      automated: false,
    }),
    onSome: ({ content }) => ({
      inReplyTo,
      messageId: content.id,
      links: linksOfReply(content),
      automated: content.direction === "INBOUND" && content.automated,
    }),
  })
