/** Accounts with a webhook, and its deliveries. */
import { Effect } from "effect"
import { type Agent, agent } from "./agents.js"
import { type Answer, listAt, textAt, valueAt } from "./Answer.js"
import { type Posted, type Receiver, World } from "./World.js"

export const INBOUND = ["message.received"]

export interface Registered {
  /** from the response to its creation, without the secret */
  readonly webhook: unknown
  readonly secret: string
  readonly path: string
}

const withoutSecret = (name: string, value: unknown): unknown => (name === "secret" ? undefined : value)

/** A webhook for inbound mail; `more` adds fields to the request. */
export const register = ({ call }: Agent, url: string, more: object = {}): Effect.Effect<Registered> =>
  Effect.map(call("POST /v1/webhooks", { body: { url, events: INBOUND, ...more } }), ({ json }) => ({
    webhook: JSON.parse(JSON.stringify(valueAt(json, "webhook"), withoutSecret)),
    secret: textAt(json, "webhook.secret"),
    path: `/v1/webhooks/${textAt(json, "webhook.id")}`,
  }))

export interface Hooked extends Registered, Receiver {
  readonly owner: Agent
}

/** A receiver and a webhook that posts to it. */
export const hook = (owner: Agent, more: object = {}): Effect.Effect<Hooked, never, World> =>
  Effect.gen(function* () {
    const receiver = yield* (yield* World).receiver
    return { owner, ...receiver, ...(yield* register(owner, receiver.url, more)) }
  })

/** An account with a webhook. */
export const hooked: Effect.Effect<Hooked, never, World> = Effect.flatMap(agent("active"), (owner) =>
  hook(owner),
)

/** The number of requests after all due work. */
export const countOf = ({ received }: Pick<Receiver, "received">): Effect.Effect<number> =>
  Effect.map(received(0), ({ length }) => length)

export const listDeliveries = (
  { owner, path }: Pick<Hooked, "owner" | "path">,
  query = "",
): Effect.Effect<Answer> => owner.call(`GET ${path}/deliveries${query}`)

type DeliveryStatus = "PENDING" | "DELIVERED" | "FAILED"

/** The deliveries, newest first, when there are `count`, all with a response and this status. */
export const deliveriesOnce = (
  hooked: Pick<Hooked, "owner" | "path">,
  status: DeliveryStatus,
  count = 1,
): Effect.Effect<ReadonlyArray<unknown>, never, World> =>
  Effect.flatMap(World, ({ eventually }) =>
    eventually(
      `${count} deliveries are ${status}`,
      Effect.map(listDeliveries(hooked), ({ json }) => listAt(json, "deliveries")),
      (deliveries) =>
        deliveries.length === count &&
        deliveries.every(
          (one) => valueAt(one, "status") === status && valueAt(one, "responseStatus") !== null,
        ),
    ),
  )

/** The path of the webhook's only delivery, when it has a response and this status. */
export const deliveryPath = (
  hooked: Pick<Hooked, "owner" | "path">,
  status: DeliveryStatus,
): Effect.Effect<string, never, World> =>
  Effect.map(
    deliveriesOnce(hooked, status),
    (deliveries) => `${hooked.path}/deliveries/${textAt(deliveries, "0.id")}`,
  )

/** The subject in the data of a request. */
export const subjectOf = ({ body }: Posted): unknown => valueAt(JSON.parse(body), "data.subject")
