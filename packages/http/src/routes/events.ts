/** The event stream and the event log (spec, Events; decisions §4). */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Api, CurrentPrincipal } from "@mailroom/api"
import {
  type EventFilter,
  type EventKind,
  type EventRecord,
  type MailboxId,
  type Principal,
} from "@mailroom/domain"
import {
  CredentialWatch,
  DownloadLinks,
  EventLog,
  EventStreams,
  Mailboxes,
  presentEvent,
} from "@mailroom/engine"
import { Effect, HashSet, Layer, Option, Predicate } from "effect"
import { Refusals } from "../errors.js"
import { group } from "../group.js"
import { jsonText } from "../json.js"
import { UnreadAnswers } from "../UnreadAnswers.js"
import { OpenStreams } from "../streams/OpenStreams.js"

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

const headers = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }

/** Closes the socket of a request; a request that has none is closed by whoever reads its answer. */
const destroySocket = ({ source }: HttpServerRequest.HttpServerRequest): void => {
  if (Predicate.hasProperty(source, "destroy") && Predicate.isFunction(source.destroy)) source.destroy()
}

export const eventRoutes = group(Api, "events", (handlers) =>
  Effect.gen(function* () {
    const streams = yield* EventStreams
    const log = yield* EventLog
    const credentials = yield* CredentialWatch
    const mailboxes = yield* Mailboxes
    const links = yield* DownloadLinks
    const unread = yield* UnreadAnswers
    const openStreams = yield* OpenStreams
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

    return handlers
      .handle("stream", ({ urlParams, headers: { "last-event-id": lastEventId }, request }) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const filter = yield* selected(principal, urlParams)
          const stream = yield* openStreams.open(() => destroySocket(request))
          const { take } = yield* streams.read(
            principal.account.id,
            filter,
            Option.fromNullable(lastEventId),
            stream.wake,
          )
          yield* credentials.watch(principal, stream.close)
          return HttpServerResponse.stream(stream.body({ take, frame }), {
            contentType: "text/event-stream",
            headers,
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
).pipe(Layer.provide(OpenStreams.layer))
