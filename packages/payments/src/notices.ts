/** Stripe's events, as far as they concern us (docs.stripe.com/api/events/types). */
import type { PaymentEvent } from "@mailroom/engine"
import { Option, Schema } from "effect"

const about = <A, I>(object: Schema.Schema<A, I>) => Schema.Struct({ object })

const CheckoutEvent = Schema.Struct({
  // Paid at once, or some time after by a way of paying that takes days.
  type: Schema.Literal("checkout.session.completed", "checkout.session.async_payment_succeeded"),
  data: about(
    Schema.Struct({
      client_reference_id: Schema.String,
      payment_status: Schema.String,
      subscription: Schema.String,
    }),
  ),
})

const SubscriptionEvent = Schema.Struct({
  type: Schema.Literal(
    "customer.subscription.updated",
    "customer.subscription.deleted",
    "customer.subscription.paused",
    "customer.subscription.resumed",
  ),
  data: about(Schema.Struct({ id: Schema.String })),
})

const ofSubscription = Schema.Struct({ subscription: Schema.String })

// An endpoint is sent events in the version it was made with: before 2025-03-31 the subscription stood in the invoice.
const InvoiceEvent = Schema.Struct({
  type: Schema.Literal("invoice.paid"),
  data: about(
    Schema.Union(
      Schema.Struct({ parent: Schema.Struct({ subscription_details: ofSubscription }) }),
      ofSubscription,
    ),
  ),
})

const decode = Schema.decodeUnknownOption(Schema.Union(CheckoutEvent, SubscriptionEvent, InvoiceEvent))

const ignored: PaymentEvent = { kind: "ignored" }

/** Of an event whose signature was checked. */
export const paymentEvent = (event: unknown): PaymentEvent => {
  const known = Option.getOrNull(decode(event))
  if (known === null) return ignored
  const { object } = known.data
  if ("client_reference_id" in object)
    return object.payment_status === "unpaid"
      ? ignored
      : { kind: "completed", id: object.client_reference_id, reference: object.subscription }
  if ("id" in object) return { kind: "subscription", reference: object.id }
  const { subscription } = "parent" in object ? object.parent.subscription_details : object
  return { kind: "subscription", reference: subscription }
}
