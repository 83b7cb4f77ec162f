/** The Effect client on the service in memory. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Cause, ConfigProvider, Context, Effect, Fiber, Layer, Option, Redacted, Stream } from "effect"
import { expect, it } from "vitest"
import { AttachmentId, items, MailboxId, MailroomClient, MessageId } from "../dist/src/effect/index.js"
import { scripted, failure } from "./support/script.js"
import { BASE_URL, startService } from "./support/service.js"

const service = startService()

type Fetch = typeof globalThis.fetch

/** Gives the client this `fetch`. */
const withFetch = (fetch: (url: string, init: RequestInit) => Promise<Response>) =>
  Layer.succeed(FetchHttpClient.Fetch, ((url, init = {}) =>
    fetch(url instanceof Request ? url.url : url.toString(), init)) satisfies Fetch)

/** Runs a program with a client of this key. */
const withClient = <A, E>(
  program: Effect.Effect<A, E, MailroomClient>,
  { apiKey, fetch = service.fetch }: { apiKey?: string; fetch?: typeof service.fetch },
) =>
  program.pipe(
    Effect.provide(
      MailroomClient.layer({
        baseUrl: BASE_URL,
        ...(apiKey !== undefined && { apiKey: Redacted.make(apiKey) }),
      }),
    ),
    Effect.provide(withFetch(fetch)),
    Effect.runPromise,
  )

it("a mail is received, answered and listed; the events tell so", async () => {
  const { key, mailboxId, address } = await service.agent()
  const program = Effect.gen(function* () {
    const client = yield* MailroomClient
    const path = { id: MailboxId.make(mailboxId) }
    const events = yield* Effect.fork(
      client.follow({ after: "" }).pipe(
        Stream.map(({ event }) => event),
        Stream.take(2),
        Stream.runCollect,
      ),
    )
    yield* Effect.promise(() => service.receive(address, { subject: "My order" }))
    const { message } = yield* client.waits.inMailbox({
      path,
      urlParams: { direction: "INBOUND", timeout: 5, since: "1970-01-01T00:00:00Z" },
    })
    yield* client.messages.reply({
      path: { ...path, msgId: MessageId.make(message?.id ?? "") },
      payload: { bodyText: "It is on its way." },
    })
    const subjects = yield* items((cursor) =>
      client.messages.list({ path, urlParams: { limit: 1, offset: 0, order: "desc", cursor } }),
    ).pipe(
      Stream.map(({ subject }) => subject),
      Stream.runCollect,
    )
    return [[...subjects], [...(yield* events)]]
  })
  expect(await withClient(program, { apiKey: key })).toEqual([
    ["Re: My order", "My order"],
    ["message.received", "message.sent"],
  ])
})

it("errors are tagged by their schema, and have their code", async () => {
  const { key } = await service.agent()
  const program = Effect.gen(function* () {
    const client = yield* MailroomClient
    const missing = MailboxId.make("01900000-0000-7000-8000-000000000000")
    return yield* client.mailboxes.get({ path: { id: missing } })
  }).pipe(
    Effect.map(() => "found"),
    Effect.catchTag("NotFound", ({ code }) => Effect.succeed(code)),
  )
  expect(await withClient(program, { apiKey: key })).toBe("MAILBOX_NOT_FOUND")
})

it("a stream of events ends with an error that time does not heal", async () => {
  const program = Effect.flatMap(MailroomClient, ({ follow }) => Stream.runDrain(follow())).pipe(Effect.flip)
  expect(await withClient(program, {})).toMatchObject({ _tag: "EventsFailed", code: "UNAUTHORIZED" })
})

it("a stream of events is interrupted at once, and saves what was handled", async () => {
  const { key, address } = await service.agent()
  let position: string | undefined
  const program = Effect.gen(function* () {
    const { follow } = yield* MailroomClient
    const cursor = {
      load: Effect.sync(() => Option.fromNullable(position)),
      save: (id: string) => Effect.sync(() => void (position = id)),
    }
    yield* Effect.promise(() => service.receive(address, { subject: "one" }, { subject: "two" }))
    const [one] = yield* follow({ after: "", cursor }).pipe(Stream.take(1), Stream.runCollect)
    expect(position).toBeUndefined()
    const both = yield* Effect.fork(Stream.runDrain(follow({ after: "", cursor })))
    yield* Effect.promise(() => expect.poll(() => position).not.toBeUndefined())
    yield* Fiber.interrupt(both)
    return one?.event
  })
  expect(await withClient(program, { apiKey: key })).toBe("message.received")
})

it("reads, and POSTs under a key of their own, are repeated; a PATCH is not", async () => {
  const overloaded = () => failure(503, "OVERLOADED", { "retry-after": "0" })
  const { fetch, asked } = scripted([
    overloaded(),
    new TypeError("fetch failed"),
    Response.json({ webhooks: [] }),
    overloaded(),
    Response.json({ url: "https://pay.test" }),
    overloaded(),
  ])
  const program = Effect.gen(function* () {
    const client = yield* MailroomClient
    yield* client.webhooks.list()
    yield* client.billing.portal()
    return yield* client.account.update({ payload: {} })
  }).pipe(Effect.catchTag("Unavailable", ({ code }) => Effect.succeed(code)))
  expect(await withClient(program, { fetch })).toBe("OVERLOADED")
  expect(asked.map(({ method }) => method)).toEqual(["GET", "GET", "GET", "POST", "POST", "PATCH"])
  const keys = asked.map(({ headers }) => headers.get("idempotency-key"))
  expect(keys[3]).toMatch(/^[0-9a-f]{32}$/)
  expect(keys).toEqual([null, null, null, keys[3], keys[3], null])
})

it("a POST keeps the idempotency key that the caller's HttpClient gave it", async () => {
  const { fetch, asked } = scripted([
    failure(503, "OVERLOADED", { "retry-after": "0" }),
    Response.json({ url: "https://pay.test" }),
  ])
  const own = Layer.map(FetchHttpClient.layer, (context) =>
    Context.add(
      context,
      HttpClient.HttpClient,
      HttpClient.mapRequest(
        Context.get(context, HttpClient.HttpClient),
        HttpClientRequest.setHeader("Idempotency-Key", "order-7"),
      ),
    ),
  )
  await Effect.flatMap(MailroomClient, ({ billing }) => billing.portal()).pipe(
    Effect.provide(MailroomClient.layerWithoutHttpClient({ baseUrl: "https://mail.test/base/" })),
    Effect.provide(own),
    Effect.provide(withFetch(fetch)),
    Effect.runPromise,
  )
  expect(asked.map(({ path, headers }) => [path, headers.get("idempotency-key")])).toEqual([
    ["/base/v1/billing/portal", "order-7"],
    ["/base/v1/billing/portal", "order-7"],
  ])
})

it("a POST of the operator that ends like one of an account has no key, and is not repeated", async () => {
  const { fetch, asked } = scripted([failure(503, "OVERLOADED", { "retry-after": "0" })])
  const program = Effect.flatMap(MailroomClient, ({ admin }) =>
    admin.resumeSending({ path: { id: MailboxId.make("01900000-0000-7000-8000-000000000000") } }),
  ).pipe(Effect.flip)
  expect(await withClient(program, { fetch })).toMatchObject({ code: "OVERLOADED" })
  expect(asked.map(({ headers }) => headers.get("idempotency-key"))).toEqual([null])
})

it("settings come from the configuration", async () => {
  const { fetch, asked } = scripted([Response.json({ webhooks: [] })])
  await Effect.flatMap(MailroomClient, ({ webhooks }) => webhooks.list()).pipe(
    Effect.provide(MailroomClient.layerConfig),
    Effect.provide(withFetch(fetch)),
    Effect.withConfigProvider(
      ConfigProvider.fromMap(
        new Map([
          ["MAILROOM_URL", "https://mail.test"],
          ["MAILROOM_API_KEY", "mr_key"],
        ]),
      ),
    ),
    Effect.runPromise,
  )
  expect(asked[0]?.headers.get("authorization")).toBe("Bearer mr_key")
})

it("a key that cannot be sent is told at once, without the key: the layer dies, and settings are an error", async () => {
  const baseUrl = "https://mail.test"
  const given = MailroomClient.layer({ baseUrl, apiKey: Redacted.make("mr_1234…") })
  const died = await Effect.runPromise(Effect.scoped(Layer.build(given)).pipe(Effect.sandbox, Effect.flip))
  expect(String(Cause.squash(died))).toMatch(/^TypeError: `apiKey`(?!.*mr_)/)
  const settings = new Map([
    ["MAILROOM_URL", baseUrl],
    ["MAILROOM_API_KEY", "mr_1234…"],
  ])
  const refused = await Effect.runPromise(
    Effect.scoped(Layer.build(MailroomClient.layerConfig)).pipe(
      Effect.withConfigProvider(ConfigProvider.fromMap(settings)),
      Effect.flip,
    ),
  )
  expect(refused).toMatchObject({ message: expect.stringMatching(/^MAILROOM_API_KEY (?!.*mr_)/) })
})

it("a redirect is an error that names the address, except for that of a download", async () => {
  const { fetch, asked } = scripted([
    new Response(null, { status: 301, headers: { location: "https://mail.test/v1/billing/portal" } }),
    new Response("bytes"),
  ])
  const program = Effect.gen(function* () {
    const { attachments, billing } = yield* MailroomClient
    const error = yield* Effect.flip(billing.portal())
    const id = AttachmentId.make("01900000-0000-7000-8000-000000000000")
    yield* attachments.download({ path: { id }, urlParams: { expires: 1, signature: "s" } })
    return error
  }).pipe(Effect.provideService(FetchHttpClient.RequestInit, { credentials: "include" }))
  expect(await withClient(program, { fetch })).toMatchObject({
    _tag: "ResponseError",
    message: expect.stringContaining(`${BASE_URL} redirects to https://mail.test, and`),
  })
  expect(asked.map(({ init }) => [init.redirect, init.credentials])).toEqual([
    ["manual", "include"],
    [undefined, "include"],
  ])
})
