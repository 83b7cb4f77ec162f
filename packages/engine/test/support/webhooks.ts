/** Webhooks and what their receivers get. */
import type { AttemptResult } from "@mailroom/domain"
import { Webhooks, type WebhookWanted, WebhookStore } from "@mailroom/engine"
import { MemoryReceivers } from "@mailroom/network"
import { Effect } from "effect"
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

/** What a URL was sent, in order. */
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

/** The webhook as it is stored now. */
export const stored = (owner: Owner, { webhook }: Effect.Effect.Success<ReturnType<typeof subscribe>>) =>
  Effect.gen(function* () {
    const { account } = yield* as(owner)
    const store = yield* WebhookStore
    return yield* Effect.flatten(store.byId(account.id, webhook.id))
  })
