/** The event stream and the event log (docs/specification/events.md). */
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
import { MailAccess, Needs, StreamAccess } from "../security.js"

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
      description:
        "id of an event, or `metadata.nextAfter` of the previous page; without it the log is read from its beginning. `latest`: the page is empty, and its `nextAfter` is the newest event",
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
        "whether there are more events after `nextAfter`; with a filter, a page can be short or empty before the last one",
      ),
      nextAfter: Schema.optional(Schema.String).annotations({
        description: "`after` of the next page; absent while the log is empty",
      }),
    }),
    "metadata of the page",
  ),
}).annotations({ identifier: "EventLogPage", description: "Events of the log" })

export class EventsGroup extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("stream", "/v1/events")
      .setUrlParams(StreamQuery)
      .setHeaders(
        Schema.Struct({
          "last-event-id": Schema.optional(Schema.String).annotations({
            description: "`id` of the last received frame: later events are replayed first",
          }),
        }),
      )
      .addSuccess(HttpApiSchema.Text({ contentType: "text/event-stream" }))
      .addError(TooManyRequests)
      .middleware(StreamAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Open the stream of server-sent events")
      .annotate(
        OpenApi.Description,
        "Each frame has `id`, `event` and `data`, the envelope as JSON. The server sends a comment every 30 seconds; after four and a half minutes it sends `event: reconnect` and closes the stream. A client that reconnects with `Last-Event-ID` gets the events that it missed, out of the last 100 events of the last hour. At most five streams of an account can be open.",
      )
      .annotate(
        OpenApi.Transform,
        alsoAnswers({
          200: { description: "Frames; `data` is one of these schemas as JSON", content: eventFrames },
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
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "List the events of the last 30 days, oldest first")
      .annotate(
        OpenApi.Description,
        "The ids are those of the stream. Continue with `metadata.nextAfter` while `metadata.hasMore` is true; with a filter, a page can be short or empty before the last one.",
      ),
  )
  .annotate(OpenApi.Title, "Events")
  .annotate(OpenApi.Description, "Events of the account's mail, as a stream and as a log.") {}
