import { type AccessClass, type AccountState, admit } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { refusal, refusedAs } from "./support/records.js"

type Verdict = "AccountSuspended" | "ScopeForbidden" | "PaymentRequired" | null

const answer = (access: AccessClass, state: AccountState, scoped = false): Verdict =>
  refusedAs(admit(access, { state, suspendedReason: null, scoped }))

interface Row {
  readonly access: AccessClass
  readonly routes: string
  readonly scoped: Verdict
  readonly paymentRequired: Verdict
  readonly suspended: Verdict
}

const table: ReadonlyArray<Row> = [
  {
    access: "account",
    routes: "GET, DELETE /v1/account; GET, DELETE /v1/api-keys…",
    scoped: "ScopeForbidden",
    paymentRequired: null,
    suspended: null,
  },
  {
    access: "create-key",
    routes: "POST /v1/api-keys",
    scoped: "ScopeForbidden",
    paymentRequired: "PaymentRequired",
    suspended: "AccountSuspended",
  },
  {
    access: "billing",
    routes: "post-verify-target, POST /v1/billing/upgrade",
    scoped: "ScopeForbidden",
    paymentRequired: null,
    suspended: "AccountSuspended",
  },
  {
    access: "stream",
    routes: "/v1/events (stream)",
    scoped: null,
    paymentRequired: null,
    suspended: "AccountSuspended",
  },
  {
    access: "provisioning",
    routes: "mailbox create and delete, attachments upload and delete",
    scoped: "ScopeForbidden",
    paymentRequired: "PaymentRequired",
    suspended: "AccountSuspended",
  },
  {
    access: "webhooks",
    routes: "webhooks",
    scoped: null,
    paymentRequired: "PaymentRequired",
    suspended: "AccountSuspended",
  },
  {
    access: "mail",
    routes: "everything else under /v1",
    scoped: null,
    paymentRequired: "PaymentRequired",
    suspended: "AccountSuspended",
  },
]

for (const { access, routes, scoped, paymentRequired, suspended } of table)
  describe(`decisions §3, ${routes}`, () => {
    it(`a scoped key: ${scoped ?? "its own scope"}`, () => {
      expect(answer(access, "active", true)).toBe(scoped)
      expect(answer(access, "trial", true)).toBe(scoped)
    })
    it("full access in trial and active: yes", () => {
      expect(answer(access, "trial")).toBeNull()
      expect(answer(access, "active")).toBeNull()
    })
    it("unverified: yes", () => {
      expect(answer(access, "unverified")).toBeNull()
    })
    it(`payment_required: ${paymentRequired ?? "yes"}`, () => {
      expect(answer(access, "payment_required")).toBe(paymentRequired)
    })
    it(`suspended: ${suspended ?? "yes"}`, () => {
      expect(answer(access, "suspended")).toBe(suspended)
    })
  })

describe("the order of gates", () => {
  it("decisions §3: suspension is answered before the scope", () => {
    expect(answer("provisioning", "suspended", true)).toBe("AccountSuspended")
    expect(answer("create-key", "suspended", true)).toBe("AccountSuspended")
  })

  it("decisions §3: the scope is answered before payment", () => {
    expect(answer("provisioning", "payment_required", true)).toBe("ScopeForbidden")
    expect(answer("create-key", "payment_required", true)).toBe("ScopeForbidden")
  })

  it("decisions §3: a suspended account is told the reason", () => {
    expect(
      refusal(admit("mail", { state: "suspended", suspendedReason: "complaints", scoped: false })),
    ).toMatchObject({ reason: "complaints" })
  })
})
