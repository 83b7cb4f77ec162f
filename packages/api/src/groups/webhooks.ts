/** Webhooks and their deliveries (docs/specification/channels.md). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  DELIVERIES_PAGE_DEFAULT,
  DELIVERIES_PAGE_MAX,
  Delivery,
  DeliveryStatus,
  DeliveryWithPayload,
  EventKind,
  MailboxId,
  Webhook,
  WebhookHeaders,
  described,
} from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { cursor, pageLimit, PageMetadata } from "../paging.js"
import { deliveryId, webhookId } from "../paths.js"
import { query, saying } from "../query.js"
import { Needs, WebhooksAccess } from "../security.js"

const Url = Schema.String.pipe(Schema.maxLength(2048))
const Kinds = Schema.Array(EventKind).pipe(Schema.minItems(1))

export const CreateWebhookBody = Schema.Struct({
  url: described(Url, "URL for events: https, at a public address"),
  events: described(Kinds, "kinds of events to post, at least one"),
  mailboxId: Schema.optional(MailboxId).annotations({ description: "only events of this mailbox" }),
  headers: Schema.optional(WebhookHeaders).annotations({
    description: "custom request headers, sent with every delivery",
  }),
}).annotations({ identifier: "CreateWebhookBody", description: "A webhook to register" })

/** Case-insensitive; only the service sets FAILED. */
const WantedStatus = Schema.transform(Schema.String, Schema.Literal("ACTIVE", "PAUSED"), {
  strict: false,
  decode: (text) => text.toUpperCase(),
  encode: (status) => status,
})

export const UpdateWebhookBody = Schema.Struct({
  url: Schema.optional(Url).annotations({ description: "the new URL" }),
  events: Schema.optional(Kinds).annotations({ description: "the new kinds of events" }),
  headers: Schema.optional(Schema.NullOr(WebhookHeaders)).annotations({
    description: "the new custom headers, which replace all earlier ones; null for none",
  }),
  status: Schema.optional(WantedStatus).annotations({
    description:
      "ACTIVE starts the webhook. PAUSED stops all attempts, and events in the meantime are not delivered later",
  }),
}).annotations({
  identifier: "UpdateWebhookBody",
  description: "Changes of a webhook; absent fields do not change",
})

export const TestWebhookBody = Schema.Struct({
  event: Schema.optional(EventKind).annotations({
    description: "kind of the test event; default is the first kind of the webhook",
  }),
}).annotations({ identifier: "TestWebhookBody", description: "A test event" })

const One = Schema.Struct({ webhook: described(Webhook, "the webhook") })
const OneDelivery = Schema.Struct({ delivery: described(Delivery, "the delivery") })

/** With the secret, which only creation and rotation show. */
export const CreatedWebhook = Schema.Struct({
  webhook: described(
    Schema.Struct({
      ...Webhook.fields,
      secret: described(Schema.String, "secret `whsec_…`; only creation and rotation show it"),
    }),
    "the webhook",
  ),
}).annotations({ identifier: "CreatedWebhook", description: "A webhook, with its secret" })

export const DeliveriesQuery = query({
  status: Schema.optional(
    DeliveryStatus.annotations({
      description: "only deliveries with this status",
      ...saying("must be PENDING, DELIVERED or FAILED"),
    }),
  ),
  limit: pageLimit(DELIVERIES_PAGE_MAX, DELIVERIES_PAGE_DEFAULT),
  cursor,
})

export const DeliveriesPage = Schema.Struct({
  deliveries: described(Schema.Array(Delivery), "the deliveries of the page"),
  metadata: described(PageMetadata, "metadata of the page"),
}).annotations({ identifier: "DeliveriesPage", description: "Deliveries of a webhook" })

export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/v1/webhooks")
      .addSuccess(Schema.Struct({ webhooks: described(Schema.Array(Webhook), "the webhooks") }))
      .middleware(WebhooksAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "List webhooks, oldest first")
      .annotate(
        OpenApi.Description,
        "A scoped key sees the webhooks of its mailboxes. Header values are masked, and secrets are not shown.",
      ),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/webhooks")
      .setPayload(CreateWebhookBody)
      .addSuccess(CreatedWebhook, { status: 201 })
      .middleware(WebhooksAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Create a webhook")
      .annotate(
        OpenApi.Description,
        "Every delivery is signed with the secret in this response, which is not shown again: `X-Service-Signature` is the lower-case hex HMAC-SHA256 of the raw body, and the headers of Standard Webhooks are sent too. A scoped key has to name one of its mailboxes. Addresses that are not public are refused.",
      ),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/webhooks/${webhookId}`
      .addSuccess(One)
      .middleware(WebhooksAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Get a webhook")
      .annotate(
        OpenApi.Description,
        "Returns its URL, events and status. Header values are masked, and the secret is not shown.",
      ),
  )
  .add(
    HttpApiEndpoint.patch("update")`/v1/webhooks/${webhookId}`
      .setPayload(UpdateWebhookBody)
      .addSuccess(One)
      .middleware(WebhooksAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Change, pause or start a webhook")
      .annotate(
        OpenApi.Description,
        "Absent fields do not change. A paused webhook gets no events that happen in the meantime; deliveries that were waiting continue when it is ACTIVE again. A FAILED webhook is started in the same way.",
      ),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/webhooks/${webhookId}`
      .addSuccess(Deleted)
      .middleware(WebhooksAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Delete a webhook and its deliveries")
      .annotate(OpenApi.Description, "No delivery is attempted after this."),
  )
  .add(
    HttpApiEndpoint.post("test")`/v1/webhooks/${webhookId}/test`
      .setPayload(Schema.NullOr(TestWebhookBody))
      .addSuccess(OneDelivery, { status: 202 })
      .middleware(WebhooksAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Deliver a test event to a webhook")
      .annotate(
        OpenApi.Description,
        "The event is complete and signed like a real one, has `data.test`, and is neither in the log nor on a stream. The response comes at once; read the delivery for its result.",
      ),
  )
  .add(
    HttpApiEndpoint.post("rotateSecret")`/v1/webhooks/${webhookId}/rotate-secret`
      .addSuccess(CreatedWebhook)
      .middleware(WebhooksAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Create a new secret; the previous one also signs for 24 hours")
      .annotate(
        OpenApi.Description,
        "For that time `webhook-signature` has both signatures. `X-Service-Signature` is made with the new secret at once, `X-Service-Signature-Previous` with the previous one.",
      ),
  )
  .add(
    HttpApiEndpoint.get("deliveries")`/v1/webhooks/${webhookId}/deliveries`
      .setUrlParams(DeliveriesQuery)
      .addSuccess(DeliveriesPage)
      .middleware(WebhooksAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "List the deliveries of a webhook, newest first, for 30 days")
      .annotate(
        OpenApi.Description,
        "Shows attempts, the response of the receiver and the time of the next attempt.",
      ),
  )
  .add(
    HttpApiEndpoint.get("delivery")`/v1/webhooks/${webhookId}/deliveries/${deliveryId}`
      .addSuccess(Schema.Struct({ delivery: described(DeliveryWithPayload, "the delivery") }))
      .middleware(WebhooksAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Get a delivery with its payload")
      .annotate(
        OpenApi.Description,
        "The payload is the request body with fresh download links; null when the event is no longer in the log.",
      ),
  )
  .add(
    HttpApiEndpoint.post("redeliver")`/v1/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`
      .addSuccess(OneDelivery, { status: 202 })
      .middleware(WebhooksAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Deliver again under the same id, from the first attempt")
      .annotate(OpenApi.Description, "Also works for a delivery that succeeded. The webhook must be ACTIVE."),
  )
  .annotate(OpenApi.Title, "Webhooks")
  .annotate(OpenApi.Description, "Signed deliveries of events to a URL, with retries.") {}
