/** Who may do what: the access table, on every route of the contract that needs a caller; new routes too. */
import { describe } from "@effect/vitest"
import type { AccessClass, AccountState } from "@mailroom/domain"
import { type Answer, type Call, InMemoryHttp } from "@mailroom/testing"
import { Effect, type Scope } from "effect"
import { expect } from "vitest"
import { bringTo, owner, type Owner, scopedKey, signIn } from "./support/accounts.js"
import { ask, endpointOf, endpoints } from "./support/contract.js"
import { bodyFor, nameOf, type Route, routes } from "./support/routes.js"
import { inOneScene, inOneService, rule, type Service } from "./support/service.js"

/** `inside`: let in, to whatever the route itself answers. */
type Verdict = "inside" | 402 | 403

interface Row {
  readonly scoped: Verdict
  readonly unverified: Verdict
  readonly payment_required: Verdict
  readonly suspended: Verdict
}

/** As the rows `decisions.access.*` have it. */
const table: { readonly [C in AccessClass]: Row } = {
  account: { scoped: 403, unverified: "inside", payment_required: "inside", suspended: "inside" },
  whoami: { scoped: "inside", unverified: "inside", payment_required: "inside", suspended: "inside" },
  "revoke-key": { scoped: 403, unverified: "inside", payment_required: "inside", suspended: "inside" },
  "create-key": { scoped: 403, unverified: "inside", payment_required: 402, suspended: 403 },
  billing: { scoped: 403, unverified: "inside", payment_required: "inside", suspended: 403 },
  owner: { scoped: 403, unverified: "inside", payment_required: "inside", suspended: 403 },
  welcome: { scoped: 403, unverified: 403, payment_required: 402, suspended: 403 },
  stream: { scoped: "inside", unverified: "inside", payment_required: "inside", suspended: 403 },
  provisioning: { scoped: 403, unverified: "inside", payment_required: 402, suspended: 403 },
  domains: { scoped: 403, unverified: 403, payment_required: 402, suspended: 403 },
  webhooks: { scoped: "inside", unverified: "inside", payment_required: 402, suspended: 403 },
  mail: { scoped: "inside", unverified: "inside", payment_required: 402, suspended: 403 },
}

/** A stream never ends by itself: its head is its answer. */
const request = Effect.fn(function* (target: string, call: Call) {
  if (target !== "GET /v1/events") return yield* ask(target, call)
  const { open } = yield* InMemoryHttp
  const response = yield* open(target, call)
  const streams = response.headers.get("content-type") === "text/event-stream"
  const text = yield* Effect.promise(() =>
    streams && response.body !== null ? response.body.cancel().then(() => "{}") : response.text(),
  )
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) } satisfies Answer
})

const use = Effect.fn(function* (route: Route, account: Owner, caller: Call, keyId: string) {
  return yield* request(route.target({ ...account, keyId }), { ...caller, ...bodyFor(route, account) })
})

const bodies = {
  402: { payment_required: true, code: "PAYMENT_REQUIRED" },
  403: { error: expect.any(String) },
} as const

const expectVerdict = (route: Route, verdict: Verdict, answer: Answer) => {
  expect(answer.status, answer.text).toBe(verdict === "inside" ? route.inside : verdict)
  if (verdict !== "inside") expect(answer.json).toMatchObject(bodies[verdict])
}

/** Who has full access: where no key comes in, the owner's session. */
const fullAccess = (route: Route, account: Owner) =>
  route.access === "owner"
    ? Effect.map(signIn(account), (cookie): Call => ({ cookie }))
    : Effect.succeed<Call>({ key: account.key })

const isSend = (route: Route): boolean => /^POST .*\/messages$/.test(nameOf(route))

describe("every route of the contract but the operator's is in this table or needs no caller", () => {
  rule("the public ones are these", () =>
    Effect.sync(() => {
      const covered = new Set(
        routes.map((route) => {
          const ids = { slug: "", email: "", key: "", address: "", mailboxId: "m", keyId: "k" }
          return endpointOf(route.target(ids)).name
        }),
      )
      const names = endpoints.map(({ name }) => name).filter((name) => !name.startsWith("admin."))
      expect(names.filter((name) => !covered.has(name))).toEqual([
        "signup.signup",
        "signup.checkSlug",
        "signup.verifyEmail",
        "signup.resendVerification",
        "session.signIn",
        "session.signOut",
        "session.requestPasswordReset",
        "session.resetPassword",
        "attachments.download",
        "billing.stripeWebhook",
        "reports.take",
      ])
    }),
  )
})

/** Whether a request that is let in changes anything. */
const changes = (route: Route): boolean =>
  !nameOf(route).startsWith("GET ") && Math.min(route.inside, route.paid ?? route.inside) < 300

/** Tries routes with what `scene` makes: anew for each that changes something, once for all others. */
const onEach = <A>(
  scene: (slug: string) => Effect.Effect<A, never, Service>,
  tried: ReadonlyArray<Route>,
  check: (route: Route, made: A) => Effect.Effect<void, never, Service | Scope.Scope>,
): void => {
  inOneService((shared) => {
    for (const route of tried.filter(changes))
      shared(nameOf(route), () => Effect.flatMap(scene("acme"), (made) => check(route, made)))
  })
  inOneScene(scene("acme"), (shared) => {
    for (const route of tried.filter((one) => !changes(one)))
      shared(nameOf(route), (made) => check(route, made))
  })
}

describe.each(["unverified", "payment_required", "suspended"] as const)("an account that is %s", (state) => {
  const verdictOf = (route: Route) => table[route.access][state]

  const scene = Effect.fn(function* (slug: string) {
    // The second key is made while that is still allowed.
    const account = yield* owner("unverified", slug)
    const { id } = yield* scopedKey(account)
    yield* bringTo(account, state)
    return { account, id }
  })

  onEach(
    scene,
    routes.filter((one) => verdictOf(one) === "inside"),
    (route, { account, id }) =>
      Effect.gen(function* () {
        const answer = yield* use(route, account, yield* fullAccess(route, account), id)
        // Before verification everything but sending works.
        if (state === "unverified" && isSend(route)) {
          expect(answer.status).toBe(403)
          expect(answer.json).toMatchObject({ code: "EMAIL_NOT_VERIFIED" })
        } else expectVerdict(route, "inside", answer)
      }),
  )

  // Who is refused changes nothing.
  inOneScene(scene("acme"), (refused) => {
    for (const route of routes.filter((one) => verdictOf(one) !== "inside"))
      refused(nameOf(route), ({ account, id }) =>
        Effect.gen(function* () {
          const answer = yield* use(route, account, yield* fullAccess(route, account), id)
          expectVerdict(route, verdictOf(route), answer)
        }),
      )
  })
})

/** An account and the ids of two scoped keys of its, the first with its key. */
const withKeys = (state: AccountState) =>
  Effect.fn(function* (slug: string) {
    const account = yield* owner(state, slug)
    const { key } = yield* scopedKey(account)
    const { id } = yield* scopedKey(account)
    return { account, key, id }
  })

describe("a scoped key of an account in trial", () => {
  onEach(withKeys("trial"), routes, (route, { account, key, id }) =>
    Effect.map(use(route, account, { key }, id), (answer) =>
      expectVerdict(route, route.lacking === true ? 403 : table[route.access].scoped, answer),
    ),
  )
})

describe.each(["trial", "active"] as const)("of an account that is %s", (state) => {
  const statusOf = ({ inside, paid = inside }: Route) => (state === "active" ? paid : inside)

  describe("a full-access key gets in", () => {
    const tried = routes.filter(({ access }) => access !== "owner")
    onEach(withKeys(state), tried, (route, { account, id }) =>
      Effect.map(use(route, account, { key: account.key }, id), ({ status, text }) =>
        expect(status, text).toBe(statusOf(route)),
      ),
    )
  })

  describe("a session is the full access", () => {
    onEach(withKeys(state), routes, (route, { account, id }) =>
      Effect.gen(function* () {
        const { status, text } = yield* use(route, account, { cookie: yield* signIn(account) }, id)
        expect(status, text).toBe(statusOf(route))
      }),
    )
  })
})

describe("what only the owner decides", () => {
  inOneScene(owner("active"), (refused) => {
    for (const route of routes.filter(({ access }) => access === "owner"))
      refused(`${nameOf(route)} takes no key, only a session`, (account) =>
        Effect.gen(function* () {
          const answer = yield* use(route, account, { key: account.key }, "")
          expect([answer.status, answer.json]).toEqual([
            403,
            { error: expect.any(String), code: "SESSION_REQUIRED" },
          ])
        }),
      )
  })
})
