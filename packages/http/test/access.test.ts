/** Who may do what: the table of decisions §3, on every route that needs a caller. */
import { describe } from "@effect/vitest"
import type { AccessClass } from "@mailroom/domain"
import { type Answer, type Call, InMemoryHttp } from "@mailroom/testing"
import { Effect } from "effect"
import { expect } from "vitest"
import { bringTo, owner, type Owner, scopedKey, signIn } from "./support/accounts.js"
import { ask, endpointOf, endpoints } from "./support/contract.js"
import { nameOf, type Route, routes } from "./support/routes.js"
import { inOneScene, inOneService, rule } from "./support/service.js"

/** `inside`: let in, to whatever the route itself answers. */
type Verdict = "inside" | 402 | 403

interface Row {
  readonly scoped: Verdict
  readonly unverified: Verdict
  readonly payment_required: Verdict
  readonly suspended: Verdict
}

/** As it stands in decisions §3. */
const table: { readonly [C in AccessClass]: Row } = {
  account: { scoped: 403, unverified: "inside", payment_required: "inside", suspended: "inside" },
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
  return yield* request(route.target({ ...account, keyId }), { ...caller, body: route.body?.(account) })
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

/** Slugs of accounts that share a service. */
const slugOf = (route: Route): string => `acme${routes.indexOf(route)}`

describe.each(["unverified", "payment_required", "suspended"] as const)("an account that is %s", (state) => {
  const verdictOf = (route: Route) => table[route.access][state]

  const scene = Effect.fn(function* (slug?: string) {
    // The second key is made while that is still allowed.
    const account = yield* owner("unverified", slug)
    const { id } = yield* scopedKey(account)
    yield* bringTo(account, state)
    return { account, id }
  })

  inOneService((shared) => {
    for (const route of routes.filter((one) => verdictOf(one) === "inside"))
      shared(nameOf(route), () =>
        Effect.gen(function* () {
          const { account, id } = yield* scene(slugOf(route))
          const answer = yield* use(route, account, yield* fullAccess(route, account), id)
          // Before verification everything but sending works.
          if (state === "unverified" && isSend(route)) {
            expect(answer.status).toBe(403)
            expect(answer.json).toMatchObject({ code: "EMAIL_NOT_VERIFIED" })
          } else expectVerdict(route, "inside", answer)
        }),
      )
  })

  // Who is refused changes nothing.
  inOneScene(scene(), (refused) => {
    for (const route of routes.filter((one) => verdictOf(one) !== "inside"))
      refused(nameOf(route), ({ account, id }) =>
        Effect.gen(function* () {
          const answer = yield* use(route, account, yield* fullAccess(route, account), id)
          expectVerdict(route, verdictOf(route), answer)
        }),
      )
  })
})

describe("a scoped key of an account in trial", () => {
  inOneService((shared) => {
    for (const route of routes)
      shared(nameOf(route), () =>
        Effect.gen(function* () {
          const account = yield* owner("trial", slugOf(route))
          const { key } = yield* scopedKey(account)
          const another = yield* scopedKey(account)
          const answer = yield* use(route, account, { key }, another.id)
          expectVerdict(route, table[route.access].scoped, answer)
        }),
      )
  })
})

describe.each(["trial", "active"] as const)("a full-access key of an account that is %s gets in", (state) => {
  inOneService((shared) => {
    for (const route of routes.filter(({ access }) => access !== "owner"))
      shared(nameOf(route), () =>
        Effect.gen(function* () {
          const account = yield* owner(state, slugOf(route))
          const { id } = yield* scopedKey(account)
          const answer = yield* use(route, account, { key: account.key }, id)
          const paid = state === "active" ? route.paid : undefined
          expect(answer.status, answer.text).toBe(paid ?? route.inside)
        }),
      )
  })
})

describe("what only the owner decides", () => {
  for (const route of routes.filter(({ access }) => access === "owner"))
    rule(`${nameOf(route)} takes no key, only a session`, () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const answer = yield* use(route, account, { key: account.key }, "")
        expect([answer.status, answer.json]).toEqual([
          403,
          { error: expect.any(String), code: "SESSION_REQUIRED" },
        ])
      }),
    )
})

describe.each(["trial", "active"] as const)(
  "a session is the full access of an account that is %s",
  (state) => {
    inOneService((shared) => {
      for (const route of routes)
        shared(nameOf(route), () =>
          Effect.gen(function* () {
            const account = yield* owner(state, slugOf(route))
            const { id } = yield* scopedKey(account)
            const answer = yield* use(route, account, { cookie: yield* signIn(account) }, id)
            const paid = state === "active" ? route.paid : undefined
            expect(answer.status, answer.text).toBe(paid ?? route.inside)
          }),
        )
    })
  },
)

describe("an account that does not have to pay", () => {
  rule(
    "is active on the default plan once verified, under BILLING=none",
    () =>
      Effect.gen(function* () {
        const account = yield* owner("trial")
        const answer = yield* ask("GET /v1/account", { key: account.key })
        expect(answer.json).toMatchObject({ account: { state: "active", plan: "Growth", trial: null } })
      }),
    { billing: "none", defaultPlan: "Growth" },
  )
})
