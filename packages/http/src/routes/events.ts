/** Webhooks and the event stream (spec, Events). */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Api, CurrentPrincipal } from "@mailroom/api"
import {
  type EventFilter,
  type EventRecord,
  type MailboxId,
  type Principal,
  STREAM_HEARTBEAT,
  STREAM_LIFETIME,
} from "@mailroom/domain"
import {
  CredentialWatch,
  DownloadLinks,
  EventStreams,
  Mailboxes,
  presentEvent,
  Webhooks,
} from "@mailroom/engine"
import { Effect, HashSet, Option, Schedule, Stream } from "effect"
import { Refusals } from "../errors.js"

export const webhookRoutes = HttpApiBuilder.group(Api, "webhooks", (handlers) =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const { answer } = yield* Refusals

    return handlers.handle(
      "create",
      ({ payload }) =>
        Effect.flatMap(CurrentPrincipal, (principal) =>
          webhooks.create(principal, {
            url: payload.url,
            events: payload.events,
            mailboxId: payload.mailboxId ?? null,
            headers: payload.headers ?? null,
          }),
        ).pipe(
          Effect.map(({ webhook, secret }) => ({ webhook: { ...webhook, secret } })),
          answer,
        ),
      { uninterruptible: true },
    )
  }),
)

/** Scope and query together: what this reader may and wants to hear. */
const filterOf = (
  { scope }: Principal,
  mailboxId: MailboxId | undefined,
  kinds: ReadonlyArray<string> | undefined,
): EventFilter => ({
  mailboxes:
    mailboxId !== undefined ? HashSet.make(mailboxId) : scope === null ? null : HashSet.fromIterable(scope),
  kinds: kinds === undefined ? null : HashSet.fromIterable(kinds),
})

/** Node sends the head of a response with its first bytes: a comment brings it out at once. */
const OPENING = ":ok\n\n"
const HEARTBEAT = ":heartbeat\n\n"
const RECONNECT = "event: reconnect\ndata: {}\n\n"

export const eventRoutes = HttpApiBuilder.group(Api, "events", (handlers) =>
  Effect.gen(function* () {
    const streams = yield* EventStreams
    const credentials = yield* CredentialWatch
    const mailboxes = yield* Mailboxes
    const links = yield* DownloadLinks
    const { answer } = yield* Refusals

    const frame = (event: EventRecord) =>
      Effect.map(
        presentEvent(links, event),
        (data) => `id: ${event.id}\nevent: ${event.kind}\ndata: ${data}\n\n`,
      )

    const heartbeats = Stream.fromSchedule(Schedule.spaced(STREAM_HEARTBEAT)).pipe(Stream.as(HEARTBEAT))

    return handlers.handle("stream", ({ urlParams, headers }) =>
      Effect.gen(function* () {
        const principal = yield* CurrentPrincipal
        if (urlParams.mailboxId !== undefined) yield* mailboxes.require(principal, urlParams.mailboxId)
        const events = yield* streams.open(
          principal.account.id,
          filterOf(principal, urlParams.mailboxId, urlParams.events),
          Option.fromNullable(headers["last-event-id"]),
        )
        const body = Stream.mapEffect(events, frame).pipe(
          Stream.merge(heartbeats),
          Stream.interruptAfter(STREAM_LIFETIME),
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
  }),
)
