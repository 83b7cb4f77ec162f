/** The audit trail. */
import { Effect } from "effect"
import { expect } from "vitest"
import { accountOf, type Agent, agent, PASSWORD, scopedKey, signIn } from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { operate, REASON, suspend, unsuspend } from "../../src/operator.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import { anyId, anyText, anyTime, expectError, expectInvalid } from "../expectations.js"

const audit = ({ call }: Pick<Agent, "call">, query = "") => call(`GET /v1/audit${query}`)

const entries = (owner: Pick<Agent, "call">) =>
  Effect.map(audit(owner), ({ json }) => listAt(json, "entries"))

/** The actions of a trail, newest first. */
const actions = (owner: Pick<Agent, "call">) =>
  Effect.map(entries(owner), (found) => found.map((entry) => textAt(entry, "action")))

const create = ({ call }: Agent, fields: object) =>
  call("POST /v1/api-keys", { body: { name: "k", ...fields } })

export const auditTrail: Part = [
  row("keys.audit.200", "page by page, without a gap and without a repetition", function* () {
    const owner = yield* agent()
    for (const name of ["one", "two", "three"]) yield* create(owner, { name })
    const all = yield* entries(owner)
    const names = all.map((entry) => valueAt(entry, "detail.name"))
    expect(names.filter((name) => name !== undefined)).toEqual(["three", "two", "one"])
    const first = yield* audit(owner, "?limit=2")
    expect(valueAt(first.json, "metadata")).toEqual({ limit: 2, hasMore: true, nextCursor: anyText })
    const rest = yield* audit(owner, `?limit=100&cursor=${textAt(first.json, "metadata.nextCursor")}`)
    expect([...listAt(first.json, "entries"), ...listAt(rest.json, "entries")]).toEqual(all)
    expectInvalid(yield* audit(owner, "?limit=101"), "limit")
    expectInvalid(yield* audit(owner, "?cursor=none"), "cursor")
  }),
  row("keys.audit.entry", "a key of a key, and a webhook of a session", function* () {
    const { call, receiver } = yield* World
    const owner = yield* agent()
    const first = textAt((yield* owner.call("GET /v1/api-keys")).json, "keys.0.id")
    const created = yield* create(owner, { permissions: "readOnly" })
    const { url } = yield* receiver
    const headers = { "x-token": "s3cr3t" }
    const webhook = yield* call("POST /v1/webhooks", {
      cookie: yield* signIn(owner),
      body: { url, events: ["message.sent"], headers },
    })
    const answer = yield* audit(owner)
    expect(listAt(answer.json, "entries")).toMatchObject([
      {
        id: anyId,
        action: "webhook.created",
        actor: { kind: "session" },
        target: textAt(webhook.json, "webhook.id"),
        detail: { url, events: ["message.sent"], mailboxId: null },
        createdAt: anyTime,
      },
      { action: "session.created" },
      {
        action: "key.created",
        actor: { kind: "key", id: first },
        target: textAt(created.json, "id"),
        detail: { name: "k", mailboxIds: null, permissions: ["read"] },
      },
      { action: "account.created", actor: { kind: "session" }, target: null, detail: { keyId: first } },
    ])
    expect(answer.text).not.toMatch(/s3cr3t|whsec_|mr_[0-9a-f]{8}/)
  }),
  row("keys.audit.refused", "also when the same is asked again", function* () {
    const owner = yield* agent()
    const { json } = yield* create(owner, {})
    const before = yield* entries(owner)
    yield* create(owner, { permissions: ["write"] })
    yield* owner.call(`DELETE /v1/api-keys/${textAt(json, "id")}0`)
    expect(yield* entries(owner)).toEqual(before)
    for (let again = 0; again < 2; again++) yield* owner.call(`DELETE /v1/api-keys/${textAt(json, "id")}`)
    expect((yield* actions(owner)).slice(0, 2)).toEqual(["key.revoked", "key.created"])
  }),
  row("keys.audit.sign-ins", "with the address of the client", function* () {
    const { call, eventually } = yield* World
    const owner = yield* agent()
    const attempt = (password: string) =>
      call("POST /api/auth/sign-in/email", { body: { email: owner.email, password } })
    yield* Effect.replicateEffect(attempt("wrong"), 7)
    const isFailed = (action: string) => action === "session.failed"
    // Recorded beside the response.
    yield* eventually("five failures", actions(owner), (found) => found.filter(isFailed).length === 5)
    const cookie = yield* signIn(owner)
    yield* call("POST /api/auth/sign-out", { cookie })
    const found = yield* entries(owner)
    expect(found.slice(0, 3)).toMatchObject([
      { action: "session.ended", actor: { kind: "session" } },
      { action: "session.created", actor: { kind: "session" }, detail: { address: anyText } },
      { action: "session.failed", actor: { kind: "system" }, detail: { address: anyText } },
    ])
    expect((yield* audit(owner)).text).not.toContain(PASSWORD)
  }),
  row("keys.audit.admin", "a suspension with its reason, while it lasts and after it", function* () {
    const owner = yield* agent()
    yield* suspend(owner)
    const [suspended] = yield* entries(owner)
    expect(suspended).toMatchObject({
      action: "account.suspended",
      actor: { kind: "admin" },
      target: null,
      detail: { reason: REASON },
    })
    yield* unsuspend(owner)
    expect((yield* actions(owner)).slice(0, 2)).toEqual(["account.resumed", "account.suspended"])
  }),
  row("keys.audit.operator", "the account's while it is there, and its deletion after it", function* () {
    const owner = yield* agent()
    const id = textAt(yield* accountOf(owner), "id")
    const mine = (yield* audit(owner)).json
    expect((yield* operate(`GET /admin/v1/audit?accountId=${id}`)).json).toEqual(mine)
    const invited = yield* operate("POST /admin/v1/invitations")
    yield* owner.call("DELETE /v1/account", { body: { confirm: "DELETE" } })
    const own = listAt((yield* operate("GET /admin/v1/audit?limit=100")).json, "entries")
    const about = (target: string) => own.filter((entry) => valueAt(entry, "target") === target)
    // The trail says that an account was deleted, and keeps no id of it.
    const deleted = own.find((entry) => valueAt(entry, "action") === "account.deleted")
    expect(deleted).toMatchObject({ actor: { kind: "key" }, target: anyText })
    expect(about(id)).toEqual([])
    expect(about(textAt(invited.json, "invitation.id"))).toMatchObject([
      { action: "invitation.created", actor: { kind: "admin" }, detail: { days: 7 } },
    ])
    expectInvalid(yield* operate("GET /admin/v1/audit?accountId=none"), "accountId")
  }),
  row("keys.audit.401", "without a key there is no trail", function* () {
    const { call } = yield* World
    expectError(yield* call("GET /v1/audit"), 401, "UNAUTHORIZED")
  }),
  row("keys.audit.403", "a scoped key, also one that may manage, and a reader", function* () {
    const { call } = yield* World
    const owner = yield* agent()
    expectError(yield* audit(yield* scopedKey(owner)), 403, "SCOPE_FORBIDDEN")
    const manager = yield* create(owner, { mailboxIds: [owner.mailboxId], permissions: ["manage"] })
    const reader = yield* create(owner, { permissions: "readOnly" })
    const by = ({ json }: typeof reader) => call("GET /v1/audit", { key: textAt(json, "key") })
    expectError(yield* by(manager), 403, "SCOPE_FORBIDDEN")
    expectError(yield* by(reader), 403, "PERMISSION_DENIED", { required: ["manage"] })
  }),
  virtual("keys.audit.kept", "and then it is gone", function* () {
    const { advance, settle } = yield* Virtual
    const owner = yield* agent("active")
    const has = Effect.map(actions(owner), (found) => found.includes("account.created"))
    yield* advance("400 days")
    yield* settle
    expect(yield* has).toBe(true)
    yield* advance("1 hour")
    yield* settle
    expect(yield* has).toBe(false)
  }),
]
