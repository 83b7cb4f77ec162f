/** The event stream and the event log (spec, Events; decisions §4). */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Api, CurrentPrincipal } from "@mailroom/api"
import {
  type EventFilter,
  type EventKind,
  type EventRecord,
  type MailboxId,
  type Principal,
  STREAM_HEARTBEAT,
  STREAM_LIFETIME,
} from "@mailroom/domain"
import {
  CredentialWatch,
  DownloadLinks,
  EventLog,
  EventStreams,
  Mailboxes,
  presentEvent,
} from "@mailroom/engine"
import { Effect, HashSet, Option, Schedule, Stream } from "effect"
import { Draining } from "../Draining.js"
import { Refusals } from "../errors.js"
import { group } from "../group.js"
import { jsonText } from "../json.js"
import { UnreadAnswers } from "../UnreadAnswers.js"

interface Selection {
  readonly mailboxId?: MailboxId | undefined
  readonly events?: ReadonlyArray<EventKind> | undefined
}

/** Scope and query together: what this reader may and wants to hear. */
const filterOf = ({ scope }: Principal, { mailboxId, events }: Selection): EventFilter => ({
  mailboxes:
    mailboxId !== undefined ? HashSet.make(mailboxId) : scope === null ? null : HashSet.fromIterable(scope),
  kinds: events === undefined ? null : HashSet.fromIterable(events),
})

/** Node sends the head of a response with its first bytes: a comment brings it out at once. */
const OPENING = ":ok\n\n"
const HEARTBEAT = ":heartbeat\n\n"
const RECONNECT = "event: reconnect\ndata: {}\n\n"

export const eventRoutes = group(Api, "events", (handlers) =>
  Effect.gen(function* () {
    const streams = yield* EventStreams
    const log = yield* EventLog
    const credentials = yield* CredentialWatch
    const mailboxes = yield* Mailboxes
    const links = yield* DownloadLinks
    const draining = yield* Draining
    const unread = yield* UnreadAnswers
    const { answer } = yield* Refusals

    const frame = (event: EventRecord) =>
      Effect.map(
        presentEvent(links, event),
        (data) => `id: ${event.id}\nevent: ${event.kind}\ndata: ${data}\n\n`,
      )

    /** The stored envelope is the text of an object: the id comes to the front of its fields. */
    const logged = (event: EventRecord) =>
      Effect.map(
        presentEvent(links, event),
        (envelope) => `{"id":${JSON.stringify(event.id)},${envelope.slice(1)}`,
      )

    /** Refuses a mailbox that the caller does not have. */
    const selected = Effect.fnUntraced(function* (principal: Principal, selection: Selection) {
      if (selection.mailboxId !== undefined) yield* mailboxes.require(principal, selection.mailboxId)
      return filterOf(principal, selection)
    })

    const heartbeats = Stream.fromSchedule(Schedule.spaced(STREAM_HEARTBEAT)).pipe(Stream.as(HEARTBEAT))

    return handlers
      .handle("stream", ({ urlParams, headers }) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const filter = yield* selected(principal, urlParams)
          const lastEventId = Option.fromNullable(headers["last-event-id"])
          const events = yield* streams.open(principal.account.id, filter, lastEventId)
          const body = Stream.mapEffect(events, frame).pipe(
            Stream.merge(heartbeats),
            Stream.interruptAfter(STREAM_LIFETIME),
            Stream.interruptWhen(draining.begun),
            Stream.concat(Stream.make(RECONNECT)),
            // Not to be come back from: there is no frame that asks for it.
            Stream.interruptWhen(credentials.lapse(principal)),
            (live) => Stream.concat(Stream.make(OPENING), live),
            Stream.encodeText,
          )
          return HttpServerResponse.stream(body, {
            contentType: "text/event-stream",
            headers: { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" },
          })
        }).pipe(answer),
      )
      .handle("log", ({ urlParams }) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const { events, hasMore, nextAfter } = yield* log.page(principal.account.id, {
            after: Option.fromNullable(urlParams.after),
            filter: yield* selected(principal, urlParams),
            limit: urlParams.limit,
          })
          const metadata = { hasMore, ...(nextAfter !== null && { nextAfter }) }
          const items = yield* Effect.forEach(events, logged)
          const text = `{"events":[${items.join(",")}],"metadata":${JSON.stringify(metadata)}}`
          return yield* unread.answer(principal.account.id, jsonText(text))
        }).pipe(answer),
      )
  }),
)
