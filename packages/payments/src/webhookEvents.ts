/** The webhook events of Stripe that change an account (docs.stripe.com/api/events/types). */
import type { PaymentEvent } from "@mailroom/engine"
import { Option, Schema } from "effect"

const dataOf = <A, I>(object: Schema.Schema<A, I>) => Schema.Struct({ object })

const CheckoutEvent = Schema.Struct({
  // `async_payment_succeeded`: paid later, by a payment method that takes days.
  type: Schema.Literal("checkout.session.completed", "checkout.session.async_payment_succeeded"),
  data: dataOf(
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
  data: dataOf(Schema.Struct({ id: Schema.String })),
})

const ofSubscription = Schema.Struct({ subscription: Schema.String })

// Stripe sends events in the API version of the endpoint. Before 2025-03-31 the subscription was a field of the invoice.
const InvoiceEvent = Schema.Struct({
  type: Schema.Literal("invoice.paid"),
  data: dataOf(
    Schema.Union(
      Schema.Struct({ parent: Schema.Struct({ subscription_details: ofSubscription }) }),
      ofSubscription,
    ),
  ),
})

const decode = Schema.decodeUnknownOption(Schema.Union(CheckoutEvent, SubscriptionEvent, InvoiceEvent))

const ignored: PaymentEvent = { kind: "ignored" }

/** The meaning of an event whose signature has been verified. */
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
