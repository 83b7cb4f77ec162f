/** The event stream and the event log (docs/specification/events.md). */
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
import { Context, Effect, Exit, HashSet, Layer, Option, Runtime, Scope } from "effect"
import type { ServerResponse } from "node:http"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"
import { jsonText, listText, mergedText, objectText } from "../json.js"
import { UnreadAnswers } from "../UnreadAnswers.js"
import { nodeResponseOf, streamBody, writeOn } from "../streams/responses.js"
import type { Output } from "../streams/Connection.js"
import { OpenStreams } from "../streams/OpenStreams.js"

interface Selection {
  readonly mailboxId?: MailboxId | undefined
  readonly events?: ReadonlyArray<EventKind> | undefined
}

/** The events that a reader gets: those in the scope of its key that its query selects. */
const filterOf = ({ scope }: Principal, { mailboxId, events }: Selection): EventFilter => ({
  mailboxes:
    mailboxId !== undefined ? HashSet.make(mailboxId) : scope === null ? null : HashSet.fromIterable(scope),
  kinds: events === undefined ? null : HashSet.fromIterable(events),
})

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
}

/** The output on other servers than Node's, where the stream of the response ends with its reader. */
const NO_OUTPUT: Output = { destroy: () => {} }

/** The services that the stream's handler needs: an open stream keeps its context, and copies of it (docs/decisions/0041). */
const streamServices: (
  all: Context.Context<CurrentPrincipal | Scope.Scope>,
) => Context.Context<CurrentPrincipal | Scope.Scope> = Context.pick(CurrentPrincipal, Scope.Scope)

export const eventRoutes = group(Api, "events", (handlers) =>
  Effect.gen(function* () {
    const streams = yield* EventStreams
    const log = yield* EventLog
    const credentials = yield* CredentialWatch
    const mailboxes = yield* Mailboxes
    const links = yield* DownloadLinks
    const openStreams = yield* OpenStreams
    const unreadAnswers = yield* UnreadAnswers
    const { answer } = yield* ErrorResponses
    const fork = Runtime.runFork(yield* Effect.runtime())

    const frame = (event: EventRecord) =>
      Effect.map(
        presentEvent(links, event),
        (data) => `id: ${event.id}\nevent: ${event.kind}\ndata: ${data}\n\n`,
      )

    /** An event as the log shows it: its id and the fields of its envelope. */
    const logged = (event: EventRecord) =>
      Effect.map(presentEvent(links, event), (envelope) =>
        mergedText(JSON.stringify({ id: event.id }), envelope),
      )

    /** The filter of a selection. Fails for a mailbox that the caller does not have. */
    const selected = Effect.fnUntraced(function* (principal: Principal, selection: Selection) {
      if (selection.mailboxId !== undefined) yield* mailboxes.require(principal, selection.mailboxId)
      return filterOf(principal, selection)
    })

    /** An open stream and its events, until the scope closes. */
    const opened = Effect.fnUntraced(function* (
      principal: Principal,
      filter: EventFilter,
      lastEventId: Option.Option<string>,
      output: Output,
    ) {
      const connection = yield* openStreams.open(output)
      const reader = yield* streams.read(principal.account.id, filter, lastEventId, () => connection.wake())
      yield* credentials.watch(principal, () => connection.close())
      return { connection, source: { reader, frame } }
    })

    /** Opens the stream on a response of Node, in a scope of its own that outlives the request's fiber. */
    const onNode = (response: ServerResponse, stream: ReturnType<typeof opened>) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const scope = yield* Scope.make()
          const { connection, source } = yield* stream.pipe(
            Scope.extend(scope),
            restore,
            Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
          )
          writeOn(response, { connection, source, scope }, fork)
          return HttpServerResponse.empty({ status: 200, headers: HEADERS })
        }),
      )

    return handlers
      .handle("stream", ({ urlParams, headers, request }) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const filter = yield* selected(principal, urlParams)
          const lastEventId = Option.fromNullable(headers["last-event-id"])
          const response = nodeResponseOf(request)
          if (response !== null)
            return yield* onNode(response, opened(principal, filter, lastEventId, response))
          const { connection, source } = yield* opened(principal, filter, lastEventId, NO_OUTPUT)
          return HttpServerResponse.stream(streamBody(connection, source), { headers: HEADERS })
        }).pipe(answer, Effect.mapInputContext(streamServices)),
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
          const text = objectText({ events: listText(items), metadata: JSON.stringify(metadata) })
          return yield* unreadAnswers.count(principal.account.id, jsonText(text))
        }).pipe(answer),
      )
  }),
).pipe(Layer.provide(OpenStreams.layer))
