/** A fake Stripe on loopback: its HTTP API, idempotency, outages and webhook events. */
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { PaymentNotice } from "@mailroom/engine"
import { StripePayments, type StripeOptions } from "@mailroom/payments"
import { type ApiAnswer, apiError, type ApiRequest, answerOf } from "./stripeApi.js"
import { PRICES, sessionObject, StripeState, subscriptionObject } from "./stripeState.js"

export const SECRET_KEY = "sk_test_thefakesecretkey"
export const WEBHOOK_SECRET = "whsec_thefakesecret"

/** `down` closes connections, `silent` accepts requests without answering, `declining` declines every card. */
export type Mood = "well" | "down" | "failing" | "busy" | "silent" | "declining"

export class FakeStripe extends Context.Tag("test/FakeStripe")<
  FakeStripe,
  {
    readonly port: number
    /** all requests, oldest first */
    readonly requests: () => ReadonlyArray<ApiRequest>
    readonly state: StripeState
    /** Sets the mode for the next `times` requests, or for all. */
    readonly feel: (mood: Mood, times?: number) => void
    /** The owner pays on the page at `url`. Returns the id of the subscription. */
    readonly pay: (url: string) => string
    /** An event as Stripe posts it, signed now. */
    readonly notice: (type: string, object: unknown, secret?: string) => PaymentNotice
    readonly completed: (url: string) => PaymentNotice
    /** An event with the current state of a subscription, or with the state `was`. */
    readonly subscriptionEvent: (type: string, id: string, was?: { readonly status: string }) => PaymentNotice
  }
>() {
  static readonly layer: Layer.Layer<FakeStripe> = Layer.scoped(
    FakeStripe,
    Effect.suspend(() => make),
  )
}

const readParams = async (message: IncomingMessage, query: URLSearchParams) => {
  let text = ""
  message.setEncoding("utf8")
  for await (const part of message) text += String(part)
  return Object.fromEntries([...query, ...new URLSearchParams(text)])
}

const listen = (server: Server): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      }),
  )

const make = Effect.gen(function* () {
  const clock = yield* Effect.clock
  const seconds = () => Math.floor(clock.unsafeCurrentTimeMillis() / 1000)
  const state = new StripeState()
  const requests: Array<ApiRequest> = []
  const replays = new Map<string, { readonly request: string; readonly answer: ApiAnswer }>()
  let mood: Mood = "well"
  let moments = 0

  const feeling = (): Mood => {
    const now = mood
    if (moments > 0 && --moments === 0) mood = "well"
    return now
  }

  const respond = (request: ApiRequest, now: Mood): ApiAnswer => {
    if (request.headers["authorization"] !== `Bearer ${SECRET_KEY}`)
      return apiError(401, "invalid_request_error", "Invalid API Key provided: sk_test_*********tkey")
    if (now === "failing") return apiError(500, "api_error", "Something went wrong on Stripe's end.")
    if (now === "busy")
      return apiError(429, "invalid_request_error", "Too many requests.", { code: "rate_limit" })
    const key = request.headers["idempotency-key"]
    const same = JSON.stringify([request.path, request.params])
    const before = typeof key === "string" ? replays.get(key) : undefined
    if (before !== undefined)
      return before.request === same
        ? before.answer
        : apiError(400, "idempotency_error", "Keys for idempotent requests can only be used once.")
    const answer = answerOf(state, request, seconds(), now === "declining")
    if (typeof key === "string") replays.set(key, { request: same, answer })
    return answer
  }

  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(message.url ?? "/", "http://stripe.test")
    const params = await readParams(message, url.searchParams)
    const { method = "", headers } = message
    const request = { method, path: url.pathname, params, headers }
    requests.push(request)
    const now = feeling()
    if (now === "down") message.socket.destroy()
    if (now === "down" || now === "silent") return
    const { status, body } = respond(request, now)
    response.writeHead(status, { "content-type": "application/json", "request-id": `req_${requests.length}` })
    response.end(JSON.stringify(body))
  }

  const port = yield* listen(createServer((message, response) => void serve(message, response)))

  const notice = (type: string, object: unknown, secret = WEBHOOK_SECRET) => {
    const at = seconds()
    const body = JSON.stringify({ id: state.id("evt"), object: "event", type, data: { object } })
    const hex = createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")
    return { body, signature: `t=${at},v1=${hex},v0=${"0".repeat(64)}` }
  }

  return FakeStripe.of({
    port,
    requests: () => requests,
    state,
    feel: (next, times = 0) => {
      mood = next
      moments = times
    },
    pay: (url) => {
      const session = state.sessionAt(url)
      const id = state.id("sub")
      const customer = session.customer ?? state.newCustomer()
      state.subscriptions.set(id, { id, customer, status: "active", price: session.price, endedAt: null })
      session.subscription = id
      return id
    },
    notice,
    completed: (url) => notice("checkout.session.completed", sessionObject(state.sessionAt(url))),
    subscriptionEvent: (type, id, was) =>
      notice(type, subscriptionObject({ ...state.subscription(id), ...was })),
  })
})

/** `Payments` at the fake. Without retries unless the options ask for them. */
export const atStripe = (options: Partial<StripeOptions> = {}) =>
  Layer.unwrapEffect(
    Effect.map(FakeStripe, ({ port }) =>
      StripePayments.layer({
        secretKey: Redacted.make(SECRET_KEY),
        webhookSecret: Redacted.make(WEBHOOK_SECRET),
        prices: PRICES,
        endpoint: { protocol: "http", host: "127.0.0.1", port },
        retries: 0,
        ...options,
      }),
    ),
  )
