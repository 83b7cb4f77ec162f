/** Webhooks, and what became of their deliveries, over HTTP. */
import { CreatedWebhook, DeliveriesPage } from "@mailroom/api"
import { MemoryReceivers } from "@mailroom/network"
import { Effect } from "effect"
import type { Owner } from "./accounts.js"
import { ask, read } from "./contract.js"

export const RECEIVER = "https://receiver.mailroom.dev/in"

type Caller = Pick<Owner, "key">

/** A webhook for mail that arrives, with its secret. */
export const aWebhook = Effect.fn(function* ({ key }: Caller, fields: object = {}) {
  const body = { url: RECEIVER, events: ["message.received"], ...fields }
  return read(CreatedWebhook)(yield* ask("POST /v1/webhooks", { key, body })).webhook
})

type Named = Pick<Effect.Effect.Success<ReturnType<typeof aWebhook>>, "id">

export const deliveriesOf = Effect.fn(function* ({ key }: Caller, { id }: Named, query = "") {
  return read(DeliveriesPage)(yield* ask(`GET /v1/webhooks/${id}/deliveries${query}`, { key }))
})

export const lastDelivery = Effect.fn(function* (caller: Caller, webhook: Named) {
  const { deliveries } = yield* deliveriesOf(caller, webhook, "?limit=1")
  const [last] = deliveries
  return last ?? (yield* Effect.dieMessage("the webhook has no delivery"))
})

/** What was posted so far; the names of headers in lower case, as a receiver sees them. */
export const posted = Effect.gen(function* () {
  const { requests } = yield* MemoryReceivers
  return (yield* requests).map(({ url, body, headers }) => ({
    url,
    body,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const),
    ),
  }))
})
