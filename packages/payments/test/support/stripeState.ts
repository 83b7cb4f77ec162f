/** The state of the fake Stripe, and its objects with the fields that our code reads. */
export const PRICES = [
  { plan: "Developer", period: "monthly", id: "price_dev_m" },
  { plan: "Developer", period: "annual", id: "price_dev_y" },
  { plan: "Growth", period: "monthly", id: "price_growth_m" },
  { plan: "Growth", period: "annual", id: "price_growth_y" },
  { plan: "Scale", period: "monthly", id: "price_scale_m" },
] as const

/** An old price, which is in no setting any more. */
export const OLD_PRICE = "price_of_last_year"

export interface Session {
  readonly id: string
  readonly url: string
  reference: string
  readonly price: string
  readonly customer: string | null
  readonly expiresAt: number
  subscription: string | null
}

export interface FakeSubscription {
  readonly id: string
  readonly customer: string
  status: string
  price: string
  endedAt: number | null
}

export interface Customer {
  readonly id: string
  deleted: boolean
}

export class StripeState {
  readonly sessions = new Map<string, Session>()
  readonly subscriptions = new Map<string, FakeSubscription>()
  readonly customers = new Map<string, Customer>()
  private made = 0

  id(prefix: string): string {
    return `${prefix}_${(++this.made).toString().padStart(6, "0")}`
  }

  newCustomer(): string {
    const id = this.id("cus")
    this.customers.set(id, { id, deleted: false })
    return id
  }

  sessionAt(url: string): Session {
    const session = [...this.sessions.values()].find((one) => one.url === url)
    if (session === undefined) throw new Error(`no checkout at ${url}`)
    return session
  }

  subscription(id: string): FakeSubscription {
    const subscription = this.subscriptions.get(id)
    if (subscription === undefined) throw new Error(`no subscription ${id}`)
    return subscription
  }
}

export const sessionObject = (session: Session) => ({
  id: session.id,
  object: "checkout.session",
  mode: "subscription",
  client_reference_id: session.reference,
  url: session.subscription === null ? session.url : null,
  expires_at: session.expiresAt,
  status: session.subscription === null ? "open" : "complete",
  payment_status: session.subscription === null ? "unpaid" : "paid",
  subscription: session.subscription,
})

export const subscriptionObject = (
  { id, customer, status, price, endedAt }: FakeSubscription,
  expanded?: Customer,
) => ({
  id,
  object: "subscription",
  customer:
    expanded === undefined
      ? customer
      : expanded.deleted
        ? { id: customer, object: "customer", deleted: true }
        : { id: customer, object: "customer" },
  status,
  ended_at: endedAt,
  items: { object: "list", data: [{ id: `si_${id}`, object: "subscription_item", price: { id: price } }] },
})
