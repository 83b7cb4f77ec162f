/** Webhooks and their deliveries (spec, Webhook, Webhook delivery; decisions §4). */
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
import { WebhooksAccess } from "../security.js"

const Url = Schema.String.pipe(Schema.maxLength(2048))
const Kinds = Schema.Array(EventKind).pipe(Schema.minItems(1))

export const CreateWebhookBody = Schema.Struct({
  url: described(Url, "where to post events: https, at a public address"),
  events: described(Kinds, "the kinds of events to post, one at least"),
  mailboxId: Schema.optional(MailboxId).annotations({ description: "events of this mailbox only" }),
  headers: Schema.optional(WebhookHeaders).annotations({ description: "sent with every delivery" }),
}).annotations({ identifier: "CreateWebhookBody", description: "A webhook to register" })

/** Input is case-insensitive; nobody can ask for a failure. */
const WantedStatus = Schema.transform(Schema.String, Schema.Literal("ACTIVE", "PAUSED"), {
  strict: false,
  decode: (text) => text.toUpperCase(),
  encode: (status) => status,
})

export const UpdateWebhookBody = Schema.Struct({
  url: Schema.optional(Url).annotations({ description: "where to post from now on" }),
  events: Schema.optional(Kinds).annotations({ description: "the kinds of events to post from now on" }),
  headers: Schema.optional(Schema.NullOr(WebhookHeaders)).annotations({
    description: "instead of those before; null for none",
  }),
  status: Schema.optional(WantedStatus).annotations({
    description: "PAUSED attempts nothing and keeps nothing that happens meanwhile",
  }),
}).annotations({ identifier: "UpdateWebhookBody", description: "What to change; what is left out stays" })

export const TestWebhookBody = Schema.Struct({
  event: Schema.optional(EventKind).annotations({ description: "default the webhook's first" }),
}).annotations({ identifier: "TestWebhookBody", description: "What to try" })

const One = Schema.Struct({ webhook: described(Webhook, "the webhook") })
const OneDelivery = Schema.Struct({ delivery: described(Delivery, "the delivery") })

/** With the secret, which no other answer shows. */
export const CreatedWebhook = Schema.Struct({
  webhook: described(
    Schema.Struct({
      ...Webhook.fields,
      secret: described(Schema.String, "`whsec_…`, shown once"),
    }),
    "the webhook",
  ),
}).annotations({ identifier: "CreatedWebhook", description: "A webhook, with its secret" })

export const DeliveriesQuery = query({
  status: Schema.optional(
    DeliveryStatus.annotations({
      description: "only those that stand so",
      ...saying("must be PENDING, DELIVERED or FAILED"),
    }),
  ),
  limit: pageLimit(DELIVERIES_PAGE_MAX, DELIVERIES_PAGE_DEFAULT),
  cursor,
})

export const DeliveriesPage = Schema.Struct({
  deliveries: described(Schema.Array(Delivery), "the deliveries of the page"),
  metadata: described(PageMetadata, "of the page"),
}).annotations({ identifier: "DeliveriesPage", description: "Deliveries of a webhook" })

export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/v1/webhooks")
      .addSuccess(Schema.Struct({ webhooks: described(Schema.Array(Webhook), "the webhooks") }))
      .middleware(WebhooksAccess)
      .annotate(OpenApi.Summary, "The webhooks the key can see, oldest first")
      .annotate(
        OpenApi.Description,
        "A scoped key sees those of its mailboxes. Header values are masked; secrets are not shown.",
      ),
  )
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
  .add(
    HttpApiEndpoint.get("get")`/v1/webhooks/${webhookId}`
      .addSuccess(One)
      .middleware(WebhooksAccess)
      .annotate(OpenApi.Summary, "One webhook")
      .annotate(
        OpenApi.Description,
        "Its target, its events and how it fares. Header values are masked; the secret is not shown.",
      ),
  )
  .add(
    HttpApiEndpoint.patch("update")`/v1/webhooks/${webhookId}`
      .setPayload(UpdateWebhookBody)
      .addSuccess(One)
      .middleware(WebhooksAccess)
      .annotate(OpenApi.Summary, "Change, pause or start a webhook")
      .annotate(
        OpenApi.Description,
        "What is left out stays. A paused webhook misses what happens meanwhile; what waited for it goes on when it is ACTIVE again. This is also how a FAILED webhook starts again.",
      ),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/webhooks/${webhookId}`
      .addSuccess(Deleted)
      .middleware(WebhooksAccess)
      .annotate(OpenApi.Summary, "Delete a webhook and its deliveries")
      .annotate(OpenApi.Description, "From now on nothing is attempted any more."),
  )
  .add(
    HttpApiEndpoint.post("test")`/v1/webhooks/${webhookId}/test`
      .setPayload(Schema.NullOr(TestWebhookBody))
      .addSuccess(OneDelivery, { status: 202 })
      .middleware(WebhooksAccess)
      .annotate(OpenApi.Summary, "Deliver a made-up event to this webhook")
      .annotate(
        OpenApi.Description,
        "Complete and signed like any other, with `data.test`; it is in no log and no stream. Answers at once: the delivery tells what became of it.",
      ),
  )
  .add(
    HttpApiEndpoint.post("rotateSecret")`/v1/webhooks/${webhookId}/rotate-secret`
      .addSuccess(CreatedWebhook)
      .middleware(WebhooksAccess)
      .annotate(OpenApi.Summary, "A new secret; the one before signs beside it for 24 hours")
      .annotate(
        OpenApi.Description,
        "`webhook-signature` carries both signatures for that time. `X-Service-Signature` is of the new secret at once, `X-Service-Signature-Previous` of the one before.",
      ),
  )
  .add(
    HttpApiEndpoint.get("deliveries")`/v1/webhooks/${webhookId}/deliveries`
      .setUrlParams(DeliveriesQuery)
      .addSuccess(DeliveriesPage)
      .middleware(WebhooksAccess)
      .annotate(OpenApi.Summary, "Deliveries of a webhook, newest first, for 30 days")
      .annotate(
        OpenApi.Description,
        "What was tried, what the receiver answered and when the next attempt is.",
      ),
  )
  .add(
    HttpApiEndpoint.get("delivery")`/v1/webhooks/${webhookId}/deliveries/${deliveryId}`
      .addSuccess(Schema.Struct({ delivery: described(DeliveryWithPayload, "the delivery") }))
      .middleware(WebhooksAccess)
      .annotate(OpenApi.Summary, "One delivery, with its payload")
      .annotate(
        OpenApi.Description,
        "The payload is what is posted, with fresh download links; null once the event has left the log.",
      ),
  )
  .add(
    HttpApiEndpoint.post("redeliver")`/v1/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`
      .addSuccess(OneDelivery, { status: 202 })
      .middleware(WebhooksAccess)
      .annotate(OpenApi.Summary, "Deliver once more, from the first attempt on, under the same id")
      .annotate(OpenApi.Description, "Also what was delivered already. The webhook has to be ACTIVE."),
  )
  .annotate(OpenApi.Title, "Webhooks")
  .annotate(OpenApi.Description, "Events posted to a URL, signed and retried.") {}
