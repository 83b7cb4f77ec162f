/** Webhooks, and the requests that their receivers get. */
import type { AttemptResult, Delivery, DeliveryStatus } from "@mailroom/domain"
import {
  type WebhookChange,
  WebhookDeliveries,
  Webhooks,
  type WebhookWanted,
  WebhookStore,
} from "@mailroom/engine"
import { MemoryReceivers } from "@mailroom/network"
import { Deferred, Effect } from "effect"
import { as, type Owner } from "./owners.js"

export const URL_ONE = "https://receiver.mailroom.dev/one"
export const URL_TWO = "https://receiver.mailroom.dev/two"

export const subscribe = (owner: Pick<Owner, "key">, over: Partial<WebhookWanted> = {}) =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const wanted = {
      url: URL_ONE,
      events: ["message.received"],
      mailboxId: null,
      headers: null,
      ...over,
    } as const
    return yield* webhooks.create(yield* as(owner), wanted)
  })

export type Made = Effect.Effect.Success<ReturnType<typeof subscribe>>

/** Changes the given fields only. */
export const change = (owner: Pick<Owner, "key">, { webhook }: Made, wanted: Partial<WebhookChange>) =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const nothing = { url: undefined, events: undefined, headers: undefined, status: undefined }
    return yield* webhooks.update(yield* as(owner), webhook.id, { ...nothing, ...wanted })
  })

export const rotate = (owner: Pick<Owner, "key">, { webhook }: Made) =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    return yield* webhooks.rotateSecret(yield* as(owner), webhook.id)
  })

export const removeWebhook = (owner: Pick<Owner, "key">, { webhook }: Made) =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    yield* webhooks.remove(yield* as(owner), webhook.id)
  })

/** The newest hundred, newest first. */
export const deliveriesOf = (
  owner: Pick<Owner, "key">,
  { webhook }: Made,
  status: DeliveryStatus | null = null,
) =>
  Effect.gen(function* () {
    const deliveries = yield* WebhookDeliveries
    const query = { status, before: null, limit: 100 }
    return (yield* deliveries.list(yield* as(owner), webhook.id, query)).deliveries
  })

/** The newest delivery. */
export const lastDelivery = (owner: Pick<Owner, "key">, made: Made) =>
  Effect.flatMap(deliveriesOf(owner, made), ([last]) =>
    last === undefined ? Effect.dieMessage("the webhook has no delivery") : Effect.succeed(last),
  )

export const redeliver = (owner: Pick<Owner, "key">, { webhook }: Made, { id }: Pick<Delivery, "id">) =>
  Effect.gen(function* () {
    const deliveries = yield* WebhookDeliveries
    return yield* deliveries.redeliver(yield* as(owner), webhook.id, id)
  })

/** The requests to a URL, in order. */
export const requestsTo = (url: string) =>
  Effect.gen(function* () {
    const receivers = yield* MemoryReceivers
    return (yield* receivers.requests).filter((request) => request.url === url)
  })

export const countTo = (url: string) => Effect.map(requestsTo(url), ({ length }) => length)

export const answered = (status: number, retryAfter: number | null = null): AttemptResult => ({
  kind: "answered",
  status,
  retryAfter,
})

export const answers = (url: string, first: AttemptResult, ...rest: ReadonlyArray<AttemptResult>) =>
  Effect.flatMap(MemoryReceivers, (receivers) => receivers.answer(url, first, ...rest))

/** A receiver that answers 200 when the test allows it. */
export const slowReceiver = Effect.gen(function* () {
  const receivers = yield* MemoryReceivers
  const begun = yield* Deferred.make<void>()
  const mayAnswer = yield* Deferred.make<void>()
  yield* receivers.script(URL_ONE, () =>
    Deferred.succeed(begun, undefined).pipe(
      Effect.zipRight(Deferred.await(mayAnswer)),
      Effect.as(answered(200)),
    ),
  )
  return { begun: Deferred.await(begun), answer: Deferred.succeed(mayAnswer, undefined) }
})

/** The stored webhook. */
export const stored = (owner: Owner, { webhook }: Made) =>
  Effect.gen(function* () {
    const { account } = yield* as(owner)
    const store = yield* WebhookStore
    return yield* Effect.flatten(store.byId(account.id, webhook.id))
  })
