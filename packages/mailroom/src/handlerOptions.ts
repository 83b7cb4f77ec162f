/** The options of a handler of events. */
import { ConsumerName, EventKind, MailboxId } from "@mailroom/domain"
import { Either, Schema } from "effect"
import { checkedBy, OptionsInvalid } from "./options.js"

export interface HandlerOptions {
  /** tells handlers apart: each name gets every event, and processes that use one name share them. Default `default` */
  readonly name?: string | undefined
  /** mailboxes whose mail is handled; default all */
  readonly mailboxes?: ReadonlyArray<MailboxId> | undefined
  /** where a new name starts: with the next event, or with the oldest of the last 30 days. Default now */
  readonly from?: "now" | "start" | undefined
  /** mails that this process handles at a time. Default 1 */
  readonly concurrency?: number | undefined
}

export interface EventHandlerOptions extends HandlerOptions {
  /** kinds that are handled; default all */
  readonly kinds?: ReadonlyArray<EventKind> | undefined
}

const fields = {
  name: Schema.optional(ConsumerName),
  mailboxes: Schema.optional(Schema.Array(MailboxId)),
  from: Schema.optional(Schema.Literal("now", "start")),
  concurrency: Schema.optional(Schema.Int.pipe(Schema.greaterThanOrEqualTo(1))),
}

const checkedMail = checkedBy(Schema.Struct(fields))
const checkedEvents = checkedBy(Schema.Struct({ ...fields, kinds: Schema.optional(Schema.Array(EventKind)) }))

const checkedHandler = (handler: unknown): void => {
  if (typeof handler !== "function") throw new OptionsInvalid({ message: "The handler is not a function" })
}

/** Throws `OptionsInvalid` for a handler of mail that would handle nothing, or other mail than is meant. */
export const checkedMailHandler = (handler: unknown, options: unknown): HandlerOptions => {
  checkedHandler(handler)
  return Either.getOrThrowWith(checkedMail(options), (error) => error)
}

/** As `checkedMailHandler`, of a handler of events. */
export const checkedEventHandler = (handler: unknown, options: unknown): EventHandlerOptions => {
  checkedHandler(handler)
  return Either.getOrThrowWith(checkedEvents(options), (error) => error)
}
