/** The routes of Stripe's API that we call, with Stripe's form bodies, JSON answers and errors. */
import { OLD_PRICE, PRICES, sessionObject, type StripeState, subscriptionObject } from "./stripeState.js"

export interface ApiRequest {
  readonly method: string
  readonly path: string
  /** the parameters of query and form, by names such as `items[0][price]` */
  readonly params: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

export interface ApiAnswer {
  readonly status: number
  readonly body: unknown
}

export const apiError = (status: number, type: string, message: string, more = {}): ApiAnswer => ({
  status,
  body: { error: { type, message, ...more } },
})

const invalid = (message: string, more = {}) => apiError(400, "invalid_request_error", message, more)
const noSuch = (status: 400 | 404, what: string, id: string | undefined, param: string) =>
  apiError(status, "invalid_request_error", `No such ${what}: '${id}'`, { code: "resource_missing", param })

const DAY_SECONDS = 24 * 60 * 60
const known = new Set<string | undefined>([...PRICES.map(({ id }) => id), OLD_PRICE])
const ok = (body: unknown): ApiAnswer => ({ status: 200, body })

const openCheckout = (state: StripeState, { params }: ApiRequest, now: number): ApiAnswer => {
  const price = params["line_items[0][price]"] ?? ""
  if (params["mode"] !== "subscription" || params["line_items[0][quantity]"] !== "1")
    return invalid("Only subscriptions are tested here")
  if (!known.has(price)) return noSuch(400, "price", price, "line_items[0][price]")
  if (params["success_url"] === undefined) return invalid("Missing required param: success_url")
  const { customer = null, customer_email: email } = params
  if ((customer === null) === (email === undefined))
    return invalid("You may only specify one of these parameters: customer, customer_email.")
  if (customer !== null && state.customers.get(customer)?.deleted !== false)
    return noSuch(400, "customer", customer, "customer")
  const expiresAt = Number(params["expires_at"] ?? now + DAY_SECONDS)
  if (expiresAt > now + DAY_SECONDS || expiresAt < now + 30 * 60)
    return invalid("The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.")
  const id = state.id("cs_test")
  const session = {
    id,
    url: `https://checkout.stripe.com/c/pay/${id}`,
    reference: params["client_reference_id"] ?? "",
    price,
    customer,
    expiresAt,
    subscription: null,
  }
  state.sessions.set(id, session)
  return ok(sessionObject(session))
}

const openPortal = (state: StripeState, { params }: ApiRequest): ApiAnswer => {
  const { customer } = params
  if (customer === undefined || state.customers.get(customer)?.deleted !== false)
    return noSuch(400, "customer", customer, "customer")
  return ok({
    object: "billing_portal.session",
    return_url: params["return_url"],
    url: `https://billing.stripe.com/p/session/${customer}`,
  })
}

const onSubscription = (
  state: StripeState,
  { method, path, params }: ApiRequest,
  now: number,
  declines: boolean,
): ApiAnswer => {
  const id = path.slice("/v1/subscriptions/".length)
  const subscription = state.subscriptions.get(id)
  if (subscription === undefined) return noSuch(404, "subscription", id, "id")
  const show = () =>
    ok(
      subscriptionObject(
        subscription,
        params["expand[0]"] === "customer" ? state.customers.get(subscription.customer) : undefined,
      ),
    )
  if (method === "GET") return show()
  if (method === "DELETE") {
    // Stripe answers 404 when an ended subscription is cancelled.
    if (subscription.endedAt !== null) return noSuch(404, "subscription", id, "id")
    subscription.status = "canceled"
    subscription.endedAt = now
    return show()
  }
  if (subscription.endedAt !== null)
    return invalid("A canceled subscription can only update its cancellation_details and metadata.")
  if (params["items[0][id]"] !== `si_${id}`) return noSuch(400, "subscription item", "", "items[0][id]")
  const price = params["items[0][price]"] ?? ""
  if (!known.has(price)) return noSuch(400, "price", price, "items[0][price]")
  if (declines && params["payment_behavior"] === "error_if_incomplete")
    return apiError(402, "card_error", "Your card was declined.", { code: "card_declined" })
  subscription.price = price
  return show()
}

/** The answer of Stripe at `now`, in seconds. Every charge of a card fails when it `declines`. */
export const answerOf = (
  state: StripeState,
  request: ApiRequest,
  now: number,
  declines: boolean,
): ApiAnswer => {
  const { method, path } = request
  if (method === "POST" && path === "/v1/checkout/sessions") return openCheckout(state, request, now)
  if (method === "POST" && path === "/v1/billing_portal/sessions") return openPortal(state, request)
  if (path.startsWith("/v1/subscriptions/")) return onSubscription(state, request, now, declines)
  return apiError(404, "invalid_request_error", `Unrecognized request URL (${method}: ${path}).`)
}
