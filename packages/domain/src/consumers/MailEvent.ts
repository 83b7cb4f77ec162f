/** Events as a program in the same process handles them: one union, tagged with the kind, with fields in camelCase. */
import type { EventEnvelope, EventKind, ReceivedStub } from "../events/Event.js"
import type { MailboxId } from "../ids.js"
import type { Message } from "../messages/Message.js"
import type { Timestamp } from "../time.js"

/** `in_reply_to` becomes `inReplyTo`. */
export type CamelCase<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/** A JSON value with the names of all its fields in camelCase. */
export type InCamelCase<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends ReadonlyArray<infer Item>
    ? ReadonlyArray<InCamelCase<Item>>
    : { readonly [Name in keyof Value as CamelCase<Name>]: InCamelCase<Value[Name]> }

const isArray = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Names the fields of a JSON value in camelCase, at every depth. */
export function inCamelCase<Value>(value: Value): InCamelCase<Value>
export function inCamelCase(value: unknown): unknown {
  if (isArray(value)) return value.map((item) => inCamelCase(item))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [camelCase(name), inCamelCase(field)]),
  )
}

/** What every event has. */
interface EventFields<Tag> {
  readonly _tag: Tag
  /** the id of the event, the same in every attempt */
  readonly id: string
  /** when the event happened */
  readonly at: Timestamp
  readonly mailboxId: MailboxId
  /** full address of the mailbox */
  readonly mailboxAddress: string
}

type DataOf<Kind extends EventKind> = Extract<EventEnvelope, { readonly event: Kind }>["data"]

/** A message arrived. */
export interface MessageReceived extends EventFields<"message.received"> {
  /** the message with its whole bodies, as it is when the event is handled */
  readonly message: Message
}

/** A message arrived that is above the inbound limit of the plan: its content is hidden until the limit is lifted. */
export type MessageOverLimit = EventFields<"message.over_limit"> & InCamelCase<ReceivedStub>

/** The kinds whose events have the fields of their wire form. */
export type PlainKind = Exclude<EventKind, "message.received">

/** An event of one kind, with the fields of docs/specification/events.md in camelCase. */
export type EventOf<Kind extends PlainKind> = EventFields<Kind> & InCamelCase<DataOf<Kind>>

/** An event of an account. `_tag` is its kind. */
export type MailEvent = MessageReceived | MessageOverLimit | { [Kind in PlainKind]: EventOf<Kind> }[PlainKind]

type PlainEnvelope = Extract<EventEnvelope, { readonly event: PlainKind }>

/** The event of an envelope that needs no message. */
export function plainEvent(id: string, envelope: PlainEnvelope): MailEvent
export function plainEvent(id: string, { event, timestamp, data }: PlainEnvelope): unknown {
  return { ...inCamelCase(data), _tag: event, id, at: timestamp }
}
