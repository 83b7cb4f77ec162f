import {
  type AccessClass,
  type AccountState,
  admitCaller,
  allPermissions,
  type Caller,
  type NeededPermissions,
  type Permission,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { refusal, refusedAs } from "./support/records.js"

type Verdict =
  | "AccountSuspended"
  | "ScopeForbidden"
  | "SessionRequired"
  | "PermissionDenied"
  | "EmailNotVerified"
  | "PaymentRequired"
  | null

const answer = (
  access: AccessClass,
  state: AccountState,
  credential: Caller["credential"] = "session",
  verified = state !== "unverified",
): Verdict =>
  refusedAs(
    admitCaller(access, [], {
      state,
      paymentReason: "the trial is over",
      suspendedReason: null,
      verified,
      credential,
      permissions: allPermissions,
    }),
  )

interface Row {
  readonly access: AccessClass
  readonly routes: string
  readonly scoped: Verdict
  readonly unverified?: Verdict
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
    access: "owner",
    routes: "change-plan, portal: session only",
    scoped: "ScopeForbidden",
    paymentRequired: null,
    suspended: "AccountSuspended",
  },
  {
    access: "welcome",
    routes: "POST /v1/account/welcome",
    scoped: "ScopeForbidden",
    unverified: "EmailNotVerified",
    paymentRequired: "PaymentRequired",
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
    access: "domains",
    routes: "domains, suppressions",
    scoped: "ScopeForbidden",
    unverified: "EmailNotVerified",
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

for (const { access, routes, scoped, unverified = null, paymentRequired, suspended } of table)
  describe(`access to ${routes}`, () => {
    it(`a scoped key: ${scoped ?? "its own scope"}`, () => {
      expect(answer(access, "active", "scoped")).toBe(scoped)
      expect(answer(access, "trial", "scoped")).toBe(scoped)
    })
    it("full access in trial and active: yes", () => {
      expect(answer(access, "trial")).toBeNull()
      expect(answer(access, "active")).toBeNull()
    })
    it(`unverified: ${unverified ?? "yes"}`, () => {
      expect(answer(access, "unverified")).toBe(unverified)
    })
    it(`active, paid before verification: ${unverified ?? "yes"}`, () => {
      expect(answer(access, "active", "session", false)).toBe(unverified)
    })
    it(`a key with full access: ${access === "owner" ? "not without a session" : "yes"}`, () => {
      expect(answer(access, "active", "full")).toBe(access === "owner" ? "SessionRequired" : null)
    })
    it(`payment_required: ${paymentRequired ?? "yes"}`, () => {
      expect(answer(access, "payment_required")).toBe(paymentRequired)
    })
    it(`suspended: ${suspended ?? "yes"}`, () => {
      expect(answer(access, "suspended")).toBe(suspended)
    })
  })

describe("the order of gates", () => {
  it("decisions.order.suspended: suspension is answered before the scope", () => {
    expect(answer("provisioning", "suspended", "scoped")).toBe("AccountSuspended")
    expect(answer("create-key", "suspended", "scoped")).toBe("AccountSuspended")
  })

  it("decisions.order.scope: the scope is answered before payment", () => {
    expect(answer("provisioning", "payment_required", "scoped")).toBe("ScopeForbidden")
    expect(answer("create-key", "payment_required", "scoped")).toBe("ScopeForbidden")
  })

  it("keys.permissions.order: the permission is answered after the scope, and before verification and payment", () => {
    const reader = (access: AccessClass, over: Partial<Caller>, needed: NeededPermissions = ["manage"]) =>
      refusedAs(
        admitCaller(access, needed, {
          state: "active",
          paymentReason: "the trial is over",
          suspendedReason: null,
          verified: true,
          credential: "full",
          permissions: ["read"] satisfies ReadonlyArray<Permission>,
          ...over,
        }),
      )
    expect(reader("domains", {})).toBe("PermissionDenied")
    expect(reader("domains", {}, ["read", "manage"])).toBeNull()
    expect(reader("domains", { state: "suspended" })).toBe("AccountSuspended")
    expect(reader("domains", { credential: "scoped" })).toBe("ScopeForbidden")
    expect(reader("owner", {})).toBe("SessionRequired")
    expect(reader("domains", { verified: false })).toBe("PermissionDenied")
    expect(reader("domains", { state: "payment_required" })).toBe("PermissionDenied")
  })

  it("decisions.access.403-suspended: a suspended account is told the reason", () => {
    expect(
      refusal(
        admitCaller("mail", [], {
          state: "suspended",
          paymentReason: "the trial is over",
          suspendedReason: "complaints",
          verified: true,
          credential: "full",
          permissions: allPermissions,
        }),
      ),
    ).toMatchObject({ reason: "complaints" })
  })
})
