/**
 * Without a key, and with the ids of other accounts: every operation of the OpenAPI document that needs a caller. The other
 * callers are in `access.test.ts`.
 */
import { describe, layer } from "@effect/vitest"
import { CreatedKey, openApiDocument } from "@mailroom/api"
import { type Call, InMemoryHttp } from "@mailroom/testing"
import { Context, Effect, Layer, Schema } from "effect"
import { expect } from "vitest"
import { type Owner, pay, scopedKey, signUp, verify } from "./support/accounts.js"
import { ask, endpointOf, read } from "./support/contract.js"
import { receive } from "./support/mail.js"
import { ABSENT, bodyFor, routes } from "./support/routes.js"

/** By the segment of a path that stands before an id. */
interface Ids {
  readonly mailboxes: string
  readonly messages: string
  readonly threads: string
  readonly attachments: string
  readonly "api-keys": string
  readonly webhooks: string
  readonly deliveries: string
  readonly domains: string
  readonly suppressions: string
  readonly drafts: string
  readonly reviews: string
}

const absent: Ids = {
  mailboxes: ABSENT,
  messages: ABSENT,
  threads: ABSENT,
  attachments: ABSENT,
  "api-keys": ABSENT,
  webhooks: ABSENT,
  deliveries: ABSENT,
  domains: ABSENT,
  suppressions: ABSENT,
  drafts: ABSENT,
  reviews: ABSENT,
}

const isKind = (segment: string): segment is keyof Ids => Object.hasOwn(absent, segment)

const Id = Schema.Struct({ id: Schema.String })
const Message = Schema.Struct({ id: Schema.String, threadId: Schema.String, attachments: Schema.Array(Id) })
const first = <A>(items: ReadonlyArray<A>): A => {
  const [item] = items
  if (item === undefined) throw new Error("there is one of everything")
  return item
}

/** One of everything, in a paid account. */
const oneOfEach = Effect.fn(function* (account: Owner) {
  const { key, mailboxId } = account
  yield* verify(account)
  yield* pay(account, "Growth")
  const create = <A, I>(path: string, body: unknown, schema: Schema.Schema<A, I>) =>
    Effect.map(ask(`POST ${path}`, { key, body }), read(schema))
  const list = <A, I>(path: string, schema: Schema.Schema<A, I>) =>
    Effect.map(ask(`GET ${path}`, { key }), read(schema))
  const { webhook } = yield* create(
    "/v1/webhooks",
    { url: "https://receiver.mailroom.dev/in", events: ["message.received"] },
    Schema.Struct({ webhook: Id }),
  )
  yield* receive(account.address, [{ attachment: { filename: "a.txt", type: "text/plain", content: "A" } }])
  const { messages } = yield* list(
    `/v1/mailboxes/${mailboxId}/messages`,
    Schema.Struct({ messages: Schema.Array(Message) }),
  )
  const { deliveries } = yield* list(
    `/v1/webhooks/${webhook.id}/deliveries`,
    Schema.Struct({ deliveries: Schema.Array(Id) }),
  )
  const { domain } = yield* create(
    "/v1/domains",
    { domain: `${account.slug}.org` },
    Schema.Struct({ domain: Id }),
  )
  const { suppression } = yield* create(
    "/v1/suppressions",
    { email: "bob@corp.org" },
    Schema.Struct({ suppression: Id }),
  )
  const written = { to: ["bob@corp.org"], subject: "Hello", bodyText: "Hello" }
  const { draft } = yield* create(`/v1/mailboxes/${mailboxId}/drafts`, written, Schema.Struct({ draft: Id }))
  const message = first(messages)
  return {
    mailboxes: mailboxId,
    messages: message.id,
    threads: message.threadId,
    attachments: first(message.attachments).id,
    "api-keys": (yield* scopedKey(account)).id,
    webhooks: webhook.id,
    deliveries: first(deliveries).id,
    domains: domain.id,
    suppressions: suppression.id,
    drafts: draft.id,
    reviews: draft.id,
  } satisfies Ids
})

class Tenants extends Context.Tag("test/Tenants")<
  Tenants,
  {
    readonly account: Owner
    readonly own: Ids
    readonly foreign: Ids
    readonly revoked: string
    /** of another mailbox of the account */
    readonly elsewhere: string
  }
>() {}

/** Nothing here changes anything, so that all tests share it. */
const world = Layer.effect(
  Tenants,
  Effect.gen(function* () {
    const account = yield* signUp("acme")
    const own = yield* oneOfEach(account)
    const foreign = yield* oneOfEach(yield* signUp("other"))
    const revoked = yield* scopedKey(account)
    yield* ask(`DELETE /v1/api-keys/${revoked.id}`, { key: account.key })
    const body = { address: "second" }
    const created = yield* ask("POST /v1/mailboxes", { key: account.key, body })
    const { mailbox } = read(Schema.Struct({ mailbox: Id }))(created)
    const scope = { name: "elsewhere", mailboxIds: [mailbox.id] }
    const elsewhere = read(CreatedKey)(yield* ask("POST /v1/api-keys", { key: account.key, body: scope })).key
    return { account, own, foreign, revoked: revoked.key, elsewhere }
  }),
).pipe(Layer.provideMerge(InMemoryHttp.layer()))

const document = openApiDocument({ baseUrl: "http://mailroom.test", headerPrefix: "X-Service-" })

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, { security }]) => security.length > 0)
    .map(([method, { operationId }]) => {
      const segments = path.split("/")
      const kinds = segments.flatMap((segment, index) =>
        segment.startsWith("{") ? [segments[index - 1] ?? ""].filter(isKind) : [],
      )
      return { name: `${method.toUpperCase()} ${path}`, operationId, kinds }
    }),
)
type Operation = (typeof operations)[number]

const noIds = { slug: "", email: "", key: "", address: "", mailboxId: "m", keyId: "k" }

const routeOf = ({ operationId }: Operation) => {
  const route = routes.find(({ target }) => endpointOf(target(noIds)).name === operationId)
  if (route === undefined) throw new Error(`${operationId} has no request to try`)
  return route
}

/** Parameters that name no resource of a tenant by its id alone. The ids of entries are tried in the row `senders.lists.delete`. */
const chosen = new Map([
  ["{direction}", "receive"],
  ["{kind}", "block"],
  ["{entryId}", ABSENT],
])

/** The request, with the ids of a path in their order, and the query that the route needs. */
const targetOf = (operation: Operation, ids: ReadonlyArray<string>): string => {
  let index = 0
  const path = operation.name.replace(/\{[^}]+\}/g, (name) => chosen.get(name) ?? ids[index++] ?? "")
  const [, query] = routeOf(operation).target(noIds).split("?")
  return query === undefined ? path : `${path}?${query}`
}

const request = (operation: Operation, ids: ReadonlyArray<string>, caller: Call) =>
  Effect.flatMap(Tenants, ({ account }) =>
    Effect.map(
      ask(targetOf(operation, ids), { ...caller, ...bodyFor(routeOf(operation), account) }),
      ({ status, text, headers }) => ({ status, text, headers: [...headers] }),
    ),
  )

layer(world)((it) => {
  describe("nobody gets in", () => {
    it.effect.each(operations)("$name: 401 without a key, and with a revoked one", (operation) =>
      Effect.gen(function* () {
        const { own, revoked } = yield* Tenants
        const ids = operation.kinds.map((kind) => own[kind])
        const code = /"code":"UNAUTHORIZED"/
        for (const caller of [{}, { key: revoked }]) {
          const { status, text, headers } = yield* request(operation, ids, caller)
          expect([status, text]).toEqual([401, expect.stringMatching(code)])
          expect(headers.map(([header]) => header).join()).not.toContain("x-service-inbound")
        }
      }),
    )
  })

  const naming = operations.flatMap((operation) =>
    operation.kinds.map((kind, position) => ({ ...operation, kind, position })),
  )

  describe("what is another account's answers as what is not there, byte for byte", () => {
    it.effect.each(naming)("$name: the id of $kind", (operation) =>
      Effect.gen(function* () {
        const { account, own, foreign } = yield* Tenants
        const { kinds, position } = operation
        const idsWith = (from: Ids) => kinds.map((kind, index) => (index < position ? own[kind] : from[kind]))
        const caller = { key: account.key }
        const none = yield* request(operation, idsWith(absent), caller)
        expect(none.status).toBe(404)
        expect(yield* request(operation, idsWith(foreign), caller)).toEqual(none)
      }),
    )
  })

  describe("a scoped key: what is out of its scope answers as what is not there, byte for byte", () => {
    const scoped = naming.filter((operation) => {
      const { access, lacking } = routeOf(operation)
      return lacking !== true && ["mail", "webhooks"].includes(access)
    })
    it.effect.each(scoped)("$name: the id of $kind", (operation) =>
      Effect.gen(function* () {
        const { own, elsewhere } = yield* Tenants
        const { kinds, position } = operation
        const idsWith = (from: Ids) => kinds.map((kind, index) => (index < position ? own[kind] : from[kind]))
        const none = yield* request(operation, idsWith(absent), { key: elsewhere })
        expect(none.status).toBe(404)
        expect(yield* request(operation, idsWith(own), { key: elsewhere })).toEqual(none)
      }),
    )
  })
})
