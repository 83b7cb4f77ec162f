/** Reads an event of the log as a program handles it. */
import {
  EventEnvelope,
  type EventRecord,
  inCamelCase,
  type MailEvent,
  plainEvent,
  type Principal,
} from "@mailroom/domain"
import { Effect, Option, Schema } from "effect"
import { Messages, viewMessage } from "../messages/Messages.js"

const decode = Schema.decodeOption(Schema.parseJson(EventEnvelope))

/**
 * The event of a record. None for a kind that only a later version knows, and for a message that has been deleted or
 * quarantined since: there is nothing to handle.
 */
export const makeMailEvents = Effect.map(
  Messages,
  (messages) =>
    (principal: Principal, record: EventRecord): Effect.Effect<Option.Option<MailEvent>> => {
      const decoded = decode(record.envelope)
      if (Option.isNone(decoded)) return Effect.succeed(Option.none())
      const envelope = decoded.value
      if (envelope.event !== "message.received") return Effect.succeedSome(plainEvent(record.id, envelope))
      const { data } = envelope
      const fields = {
        id: record.id,
        at: envelope.timestamp,
        mailboxId: data.mailbox_id,
        mailboxAddress: data.mailbox_address,
      }
      if ("over_limit" in data)
        return Effect.succeedSome({ ...inCamelCase(data), ...fields, _tag: "message.over_limit" })
      return messages.get(principal, data.mailbox_id, data.message_id).pipe(
        Effect.map((message) =>
          Option.some({ ...fields, _tag: "message.received" as const, message: viewMessage(message) }),
        ),
        Effect.catchAll(() => Effect.succeed(Option.none())),
      )
    },
)
