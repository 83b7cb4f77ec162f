/** Webhooks and the event stream (spec, Events). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { EventKind, MailboxId, Webhook, WebhookHeaders } from "@mailroom/domain"
import { Schema } from "effect"
import { TooManyRequests } from "../errors.js"
import { StreamAccess, WebhooksAccess } from "../security.js"

export const CreateWebhookBody = Schema.Struct({
  url: Schema.String.pipe(Schema.maxLength(2048)),
  events: Schema.Array(EventKind).pipe(Schema.minItems(1)),
  mailboxId: Schema.optional(MailboxId).annotations({ description: "events of this mailbox only" }),
  headers: Schema.optional(WebhookHeaders).annotations({ description: "sent with every delivery" }),
}).annotations({ identifier: "CreateWebhookBody", description: "A webhook to register" })

export const CreatedWebhook = Schema.Struct({
  webhook: Schema.Struct({
    ...Webhook.fields,
    secret: Schema.String.annotations({ description: "`whsec_…`, shown once" }),
  }),
}).annotations({ identifier: "CreatedWebhook", description: "The new webhook" })

export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("create", "/v1/webhooks")
      .setPayload(CreateWebhookBody)
      .addSuccess(CreatedWebhook, { status: 201 })
      .middleware(WebhooksAccess)
      .annotate(OpenApi.Summary, "Have events posted to a URL, signed")
      .annotate(
        OpenApi.Description,
        "Every delivery is signed with the secret of this answer, which is not shown again: `X-Service-Signature` is the lower-case hex HMAC-SHA256 of the raw body, and the Standard Webhooks headers are there too. A scoped key has to name one of its mailboxes. Addresses that are not public are refused.",
      ),
  )
  .annotate(OpenApi.Title, "Webhooks")
  .annotate(OpenApi.Description, "Events posted to a URL, signed and retried.") {}

const Kinds = Schema.transform(Schema.String, Schema.Array(EventKind), {
  strict: false,
  decode: (text) => text.split(",").map((kind) => kind.trim()),
  encode: (kinds) => kinds.join(","),
})

export const StreamQuery = Schema.Struct({
  mailboxId: Schema.optional(MailboxId),
  events: Schema.optional(Kinds).annotations({ description: "comma-separated event kinds" }),
})

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
      ),
  )
  .annotate(OpenApi.Title, "Events")
  .annotate(OpenApi.Description, "Events as a stream.") {}
