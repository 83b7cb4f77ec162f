/** Reads messages, threads and events as their owner. */
import {
  type AccountId,
  anyMessage,
  type EventRecord,
  EventEnvelope,
  type MailboxId,
  MessageListItem,
  type ReceivedData,
  type ReceivedStub,
} from "@mailroom/domain"
import {
  Accounts,
  EventStore,
  EventStreams,
  Lists,
  Mailboxes,
  type MessageJson,
  type MessageQuery,
} from "@mailroom/engine"
import { Effect, HashSet, Option, Schema } from "effect"
import { type MailText, received } from "./arrivals.js"
import { as, type Owner } from "./owners.js"

const readItem = Schema.decodeSync(Schema.parseJson(MessageListItem))
const readEnvelope = Schema.decodeSync(Schema.parseJson(EventEnvelope))

export const itemsOf = (items: ReadonlyArray<MessageJson>) => items.map((item) => readItem(item))

export const queryOf = (mailboxId: MailboxId, over: Partial<MessageQuery> = {}): MessageQuery => ({
  mailboxId,
  direction: null,
  threadId: null,
  since: null,
  before: null,
  offset: 0,
  limit: 100,
  ...over,
})

/** A page of visible messages, with the metadata about gated ones. */
export const page = (owner: Owner, over: Partial<MessageQuery> = {}) =>
  Effect.gen(function* () {
    const lists = yield* Lists
    const { mailboxId, direction, threadId, since, before, offset, limit } = queryOf(
      over.mailboxId ?? owner.mailboxId,
      over,
    )
    const filter = { ...anyMessage, direction, threadId, since }
    return yield* lists.inMailbox(yield* as(owner), mailboxId, {
      filter,
      order: "desc",
      after: before,
      offset,
      limit,
    })
  })

/** Visible messages, newest first. */
export const listed = (owner: Owner, over: Partial<MessageQuery> = {}) =>
  Effect.map(page(owner, over), (found) => itemsOf(found.page.items))

/** The newest visible message. */
export const newest = (owner: Owner, over: Partial<MessageQuery> = {}) =>
  Effect.flatMap(listed(owner, over), ([first]) =>
    first === undefined ? Effect.dieMessage("the mailbox shows no message") : Effect.succeed(first),
  )

/** Delivers a mail and returns its message from the list. */
export const arrival = (owner: Owner, mail: MailText = {}) =>
  Effect.zipRight(received(owner.address, mail), newest(owner, { direction: "INBOUND" }))

export const subjectsOf = (messages: ReadonlyArray<{ readonly subject: string }>) =>
  messages.map(({ subject }) => subject)

/** Opens a stream of the `message.received` events from now on. */
export const arrivalsOf = (owner: Owner) =>
  Effect.gen(function* () {
    const { account } = yield* as(owner)
    const streams = yield* EventStreams
    const filter = { mailboxes: null, kinds: HashSet.make("message.received" as const) }
    return yield* streams.open(account.id, filter, Option.none())
  })

export const accountOf = (owner: Owner) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    return yield* accounts.view(yield* as(owner))
  })

export const mailboxOf = (owner: Owner, id: MailboxId = owner.mailboxId) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    return yield* mailboxes.get(yield* as(owner), id)
  })

export const threadsOf = (owner: Owner) =>
  Effect.gen(function* () {
    const lists = yield* Lists
    return yield* lists.threadsInMailbox(yield* as(owner), owner.mailboxId, { after: null, limit: 50 })
  })

export const envelopeOf = (event: EventRecord) => readEnvelope(event.envelope)

/** The newest 100 events of an account, oldest first. */
export const logOf = (accountId: AccountId) =>
  Effect.gen(function* () {
    const events = yield* EventStore
    const last = yield* events.lastSeq(accountId)
    const filter = { mailboxes: null, kinds: null }
    const page = yield* events.page(accountId, { after: Math.max(0, last - 100), filter, limit: 100 })
    return page.events
  })

export const eventsOf = (owner: Owner) =>
  Effect.gen(function* () {
    const { account } = yield* as(owner)
    return (yield* logOf(account.id)).map((event) => envelopeOf(event))
  })

/** The full payloads of `message.received`, without the stubs. */
export const receivedOf = (owner: Owner) =>
  Effect.map(eventsOf(owner), (events) =>
    events.flatMap(({ event, data }): ReadonlyArray<ReceivedData> =>
      event === "message.received" && !("over_limit" in data) ? [data] : [],
    ),
  )

/** The stubs of gated messages, oldest first. */
export const stubsOf = (owner: Owner) =>
  Effect.map(eventsOf(owner), (events) =>
    events.flatMap(({ event, data }): ReadonlyArray<ReceivedStub> =>
      event === "message.received" && "over_limit" in data ? [data] : [],
    ),
  )
