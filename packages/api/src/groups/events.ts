/** The event stream and the event log (spec, Events; decisions §4). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  EVENT_LOG_PAGE_DEFAULT,
  EVENT_LOG_PAGE_MAX,
  EventEnvelope,
  EventKind,
  MailboxId,
  described,
} from "@mailroom/domain"
import { Schema } from "effect"
import { TooManyRequests, Unavailable } from "../errors.js"
import { eventFrames } from "../events.js"
import { alsoAnswers } from "../openapi.js"
import { pageLimit } from "../paging.js"
import { query, saying } from "../query.js"
import { MailAccess, StreamAccess } from "../security.js"

const Kinds = Schema.transform(Schema.String, Schema.Array(EventKind), {
  strict: false,
  decode: (text) => text.split(",").map((kind) => kind.trim()),
  encode: (kinds) => kinds.join(","),
})

const selection = {
  mailboxId: Schema.optional(
    MailboxId.annotations({
      description: "only events of this mailbox",
      ...saying("must be the id of a mailbox"),
    }),
  ),
  events: Schema.optional(Kinds.annotations({ description: "comma-separated event kinds" })),
}

export const StreamQuery = query(selection)

export const LogQuery = query({
  ...selection,
  after: Schema.optional(
    Schema.String.pipe(Schema.maxLength(100)).annotations({
      description: "the id of an event, or `metadata.nextAfter`; the beginning of the log without it",
      ...saying("is not the id of an event"),
    }),
  ),
  limit: pageLimit(EVENT_LOG_PAGE_MAX, EVENT_LOG_PAGE_DEFAULT),
})

export const LogPage = Schema.Struct({
  events: described(
    Schema.Array(
      Schema.extend(Schema.Struct({ id: described(Schema.String, "id of the event") }), EventEnvelope),
    ),
    "the events of the page, oldest first",
  ),
  metadata: described(
    Schema.Struct({
      hasMore: described(
        Schema.Boolean,
        "go on after `nextAfter`; under a filter a page can be short, or empty, before the last",
      ),
      nextAfter: Schema.optional(Schema.String).annotations({
        description: "`after` of the next page; absent while the log is empty",
      }),
    }),
    "of the page",
  ),
}).annotations({ identifier: "EventLogPage", description: "Events of the log" })

export class EventsGroup extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("stream", "/v1/events")
      .setUrlParams(StreamQuery)
      .setHeaders(
        Schema.Struct({
          "last-event-id": Schema.optional(Schema.String).annotations({
            description: "`id` of the last frame seen: what came after it is replayed first",
          }),
        }),
      )
      .addSuccess(HttpApiSchema.Text({ contentType: "text/event-stream" }))
      .addError(TooManyRequests)
      .middleware(StreamAccess)
      .annotate(OpenApi.Summary, "Server-sent events of the account")
      .annotate(
        OpenApi.Description,
        "Each frame has `id`, `event` and `data`, the envelope as JSON. A comment comes every 30 seconds; after four and a half minutes the server sends `event: reconnect` and closes. Reconnect with `Last-Event-ID` to have what was missed from the last 100 events of the hour. At most five streams an account.",
      )
      .annotate(
        OpenApi.Transform,
        alsoAnswers({
          200: { description: "Frames, whose `data` is one of these as JSON", content: eventFrames },
        }),
      ),
  )
  .add(
    HttpApiEndpoint.get("log", "/v1/events/log")
      .setUrlParams(LogQuery)
      .addSuccess(LogPage)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "The events of the last 30 days, oldest first")
      .annotate(
        OpenApi.Description,
        "The ids are those of the stream. Go on with `metadata.nextAfter` as long as `metadata.hasMore` is true; under a filter a page can be short, or empty, before the last.",
      ),
  )
  .annotate(OpenApi.Title, "Events")
  .annotate(OpenApi.Description, "What happened to the account's mail, as a stream and as a log.") {}
