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
}).annotations({ identifier: "CreateWebhookBody" })

export const CreatedWebhook = Schema.Struct({
  webhook: Schema.Struct({
    ...Webhook.fields,
    secret: Schema.String.annotations({ description: "`whsec_…`, shown once" }),
  }),
}).annotations({ identifier: "CreatedWebhook" })

export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("create", "/v1/webhooks")
      .setPayload(CreateWebhookBody)
      .addSuccess(CreatedWebhook, { status: 201 })
      .middleware(WebhooksAccess)
      .annotate(OpenApi.Summary, "Have events posted to a URL, signed"),
  )
  .annotate(OpenApi.Title, "Webhooks") {}

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
      .setHeaders(Schema.Struct({ "last-event-id": Schema.optional(Schema.String) }))
      .addSuccess(HttpApiSchema.Text({ contentType: "text/event-stream" }))
      .addError(TooManyRequests)
      .middleware(StreamAccess)
      .annotate(OpenApi.Summary, "Server-sent events of the account"),
  )
  .annotate(OpenApi.Title, "Events") {}
