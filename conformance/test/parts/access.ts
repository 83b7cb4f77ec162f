/** The access table, and the order of refusals on every route. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  newMailbox,
  pay,
  receive,
  scopedKey,
  send,
  sendBody,
  signIn,
  type State,
  suppress,
} from "../../src/agents.js"
import type { Answer } from "../../src/Answer.js"
import { textAt, valueAt } from "../../src/Answer.js"
import { claim } from "../../src/domains.js"
import { REASON, suspend, suspendedAgent } from "../../src/operator.js"
import { type Part, row } from "../../src/Row.js"
import type { RowId } from "../../src/rows/index.js"
import { World } from "../../src/World.js"
import { type Access, lines, type Things, things } from "../access.js"
import { ABSENT, expectAnswer, expectError, expectPayment, expectSuspended } from "../expectations.js"

const OK = "answered"
const SCOPE = "403 SCOPE_FORBIDDEN"
const PAYMENT = "402 PAYMENT_REQUIRED"
const UNVERIFIED = "403 EMAIL_NOT_VERIFIED"
const SUSPENDED = "403 ACCOUNT_SUSPENDED"

/** The result of a request, as the table shows it. */
const verdictOf = ({ status, json }: Answer): string =>
  status < 300 ? OK : `${status} ${String(valueAt(json, "code"))}`

type Caller = State | "suspended" | "scoped" | "session"

/** The results of the routes of a row, with resources created before. */
const verdicts = (caller: Caller, line: (given: Things) => ReadonlyArray<Access>) =>
  Effect.gen(function* () {
    const { call } = yield* World
    const owner = yield* agent(caller === "unverified" ? "unverified" : "trial")
    const given = yield* things(owner)
    const scoped = caller === "scoped" ? yield* scopedKey(owner) : owner
    const cookie = caller === "session" ? yield* signIn(owner) : undefined
    if (caller === "payment_required")
      yield* Effect.replicateEffect(send(owner, owner.email), 10, { discard: true })
    if (caller === "suspended") yield* suspend(owner)
    return yield* Effect.forEach(line(given), ({ target, body }) =>
      Effect.map(
        cookie === undefined ? scoped.call(target, { body }) : call(target, { cookie, body }),
        (answer) => [target.replaceAll(/[0-9a-f-]{36}/g, "{id}"), verdictOf(answer)],
      ),
    )
  })

/** A cell of the table: every route of the row has this result. */
const cell = (
  id: RowId,
  name: string,
  caller: Caller,
  line: (given: Things) => ReadonlyArray<Access>,
  expected: string,
) =>
  row(id, name, function* () {
    const found = yield* verdicts(caller, line)
    expect(found).toEqual(found.map(([target]) => [target, expected]))
  })

/** A refused caller is refused whether or not the resources exist. */
const domainLines = () => lines.domains({ domainId: ABSENT, suppressionId: ABSENT })

const stream = (id: RowId, name: string, state: State) =>
  row(id, name, function* () {
    const { listen } = yield* World
    const owner = yield* agent(state)
    const { received } = yield* listen({ key: owner.key })
    yield* receive(owner)
    expect(yield* received(1)).toMatchObject([{ event: "message.received" }])
  })

const everything = (given: Things) => [
  ...lines.createKey(),
  ...lines.target(),
  ...lines.upgrade(),
  ...lines.welcome(),
  ...lines.webhooks(given),
  ...lines.send(given),
  ...lines.mail(given),
  ...lines.provisioning(given),
  ...lines.account(given),
]

/** A send from a mailbox of the account. */
const sendFrom = ({ call }: Pick<Agent, "call">, mailboxId: string, body: unknown) =>
  call(`POST /v1/mailboxes/${mailboxId}/messages`, { body })

export const access: Part = [
  cell("decisions.access.session", "every route of the table answers a session", "session", everything, OK),
  row("decisions.access.session", "and those of domains and suppressions, on a plan", function* () {
    const { call } = yield* World
    const owner = yield* agent("trial")
    yield* pay(owner, "Growth")
    const domainId = textAt((yield* claim(owner, "acme.dev")).json, "domain.id")
    const suppressionId = textAt((yield* suppress(owner, "ada@partner.dev")).json, "suppression.id")
    const cookie = yield* signIn(owner)
    // Publishes the records, so that the check finds them.
    const line = lines
      .domains({ domainId, suppressionId })
      .filter(({ target }) => !target.endsWith("/verify"))
    const found = yield* Effect.forEach(line, ({ target, body }) => call(target, { cookie, body }))
    expect(found.map(verdictOf)).toEqual(line.map(() => OK))
  }),
  row("decisions.access.origin", "another origin changes nothing, and may read", function* () {
    const { call } = yield* World
    const owner = yield* agent()
    const cookie = yield* signIn(owner)
    const from = (origin: string) => ({ cookie, headers: { origin } })
    const rename = (origin: string) =>
      call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { ...from(origin), body: { displayName: origin } })
    expectError(yield* rename("https://evil.dev"), 403, "FOREIGN_ORIGIN")
    expectError(yield* rename("null"), 403, "FOREIGN_ORIGIN")
    expect((yield* rename("http://mailroom.test")).status).toBe(200)
    expect((yield* call("GET /v1/account", from("https://evil.dev"))).status).toBe(200)
  }),

  cell("decisions.access.account.scoped", "403 SCOPE_FORBIDDEN each", "scoped", lines.account, SCOPE),
  row("decisions.access.account.self", "and is refused from then on", function* () {
    const { call, id } = yield* scopedKey(yield* agent())
    expectAnswer(yield* call(`DELETE /v1/api-keys/${id}`), 200, { revoked: true })
    expectError(yield* call("GET /v1/mailboxes"), 401, "UNAUTHORIZED")
  }),
  cell("decisions.access.account.unverified", "each is answered", "unverified", lines.account, OK),
  cell(
    "decisions.access.account.payment_required",
    "each is answered",
    "payment_required",
    lines.account,
    OK,
  ),

  cell("decisions.access.account.suspended", "each is answered", "suspended", lines.account, OK),

  cell("decisions.access.create-key.scoped", "403 SCOPE_FORBIDDEN", "scoped", lines.createKey, SCOPE),
  cell("decisions.access.create-key.unverified", "one is made", "unverified", lines.createKey, OK),
  cell(
    "decisions.access.create-key.payment_required",
    "402 PAYMENT_REQUIRED",
    "payment_required",
    lines.createKey,
    PAYMENT,
  ),

  cell("decisions.access.create-key.suspended", "none is made", "suspended", lines.createKey, SUSPENDED),

  cell("decisions.access.target.scoped", "403 SCOPE_FORBIDDEN", "scoped", lines.target, SCOPE),
  cell("decisions.access.target.unverified", "it is told", "unverified", lines.target, OK),
  cell("decisions.access.target.payment_required", "it is told", "payment_required", lines.target, OK),
  cell("decisions.access.target.suspended", "it is not told", "suspended", lines.target, SUSPENDED),

  cell("decisions.access.upgrade.scoped", "403 SCOPE_FORBIDDEN", "scoped", lines.upgrade, SCOPE),
  cell("decisions.access.upgrade.unverified", "there is a link", "unverified", lines.upgrade, OK),
  cell("decisions.access.upgrade.payment_required", "there is a link", "payment_required", lines.upgrade, OK),

  cell("decisions.access.upgrade.suspended", "there is no link", "suspended", lines.upgrade, SUSPENDED),

  cell("decisions.access.welcome.scoped", "403 SCOPE_FORBIDDEN", "scoped", lines.welcome, SCOPE),
  cell(
    "decisions.access.welcome.unverified",
    "403 EMAIL_NOT_VERIFIED",
    "unverified",
    lines.welcome,
    UNVERIFIED,
  ),
  cell(
    "decisions.access.welcome.payment_required",
    "402 PAYMENT_REQUIRED",
    "payment_required",
    lines.welcome,
    PAYMENT,
  ),
  cell("decisions.access.welcome.suspended", "403 ACCOUNT_SUSPENDED", "suspended", lines.welcome, SUSPENDED),

  row("decisions.access.stream.scoped", "what comes to another mailbox does not come", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const second = yield* newMailbox(owner, "second")
    const { key } = yield* scopedKey(owner)
    const { received } = yield* listen({ key })
    yield* receive(owner, [{ subject: "to the second" }], second.address)
    yield* receive(owner, [{ subject: "to the first" }])
    expect(yield* received(1)).toMatchObject([{ data: { data: { subject: "to the first" } } }])
  }),
  stream("decisions.access.stream.unverified", "it carries what arrives", "unverified"),
  stream("decisions.access.stream.payment_required", "it carries what arrives", "payment_required"),

  row("decisions.access.stream.suspended", "none opens", function* () {
    const { call } = yield* suspendedAgent()
    expectSuspended(yield* call("GET /v1/events"), REASON)
  }),

  cell(
    "decisions.access.provisioning.scoped",
    "403 SCOPE_FORBIDDEN each",
    "scoped",
    lines.provisioning,
    SCOPE,
  ),
  cell("decisions.access.provisioning.unverified", "each is answered", "unverified", lines.provisioning, OK),
  cell(
    "decisions.access.provisioning.payment_required",
    "402 PAYMENT_REQUIRED each",
    "payment_required",
    lines.provisioning,
    PAYMENT,
  ),

  cell(
    "decisions.access.provisioning.suspended",
    "403 ACCOUNT_SUSPENDED each",
    "suspended",
    lines.provisioning,
    SUSPENDED,
  ),
  cell("decisions.access.domains.scoped", "403 SCOPE_FORBIDDEN each", "scoped", domainLines, SCOPE),
  cell(
    "decisions.access.domains.unverified",
    "403 EMAIL_NOT_VERIFIED each",
    "unverified",
    domainLines,
    UNVERIFIED,
  ),
  cell(
    "decisions.access.domains.payment_required",
    "402 PAYMENT_REQUIRED each",
    "payment_required",
    domainLines,
    PAYMENT,
  ),
  cell(
    "decisions.access.domains.suspended",
    "403 ACCOUNT_SUSPENDED each",
    "suspended",
    domainLines,
    SUSPENDED,
  ),

  row("decisions.access.webhooks.scoped", "its own, no other's, and none of the account", function* () {
    const { receiver } = yield* World
    const owner = yield* agent()
    const second = yield* newMailbox(owner, "second")
    const { call } = yield* scopedKey(owner)
    const { url } = yield* receiver
    const create = (mailboxId?: string) =>
      Effect.map(call("POST /v1/webhooks", { body: { url, events: ["message.sent"], mailboxId } }), verdictOf)
    expect([yield* create(owner.mailboxId), yield* create(second.id), yield* create()]).toEqual([
      OK,
      "404 MAILBOX_NOT_FOUND",
      SCOPE,
    ])
  }),
  cell("decisions.access.webhooks.unverified", "one is made", "unverified", lines.webhooks, OK),
  cell(
    "decisions.access.webhooks.payment_required",
    "402 PAYMENT_REQUIRED",
    "payment_required",
    lines.webhooks,
    PAYMENT,
  ),

  cell("decisions.access.webhooks.suspended", "none is made", "suspended", lines.webhooks, SUSPENDED),

  row("decisions.access.mail.scoped", "each in its own is answered, each in another is 404", function* () {
    const owner = yield* agent("trial")
    const second = yield* newMailbox(owner, "second")
    const given = yield* things(owner)
    const { call } = yield* scopedKey(owner)
    const inMailbox = [...lines.send(given), ...lines.mail(given)].filter(({ target }) =>
      target.includes(owner.mailboxId),
    )
    for (const { target, body } of inMailbox) {
      expectError(yield* call(target.replace(owner.mailboxId, second.id), { body }), 404, "MAILBOX_NOT_FOUND")
      expect((yield* call(target, { body })).status).toBeLessThan(300)
    }
  }),
  row("decisions.access.mail.unverified", "each is answered, the send is 403", function* () {
    const found = yield* verdicts("unverified", lines.mail)
    expect(found).toEqual(found.map(([target]) => [target, OK]))
    const sent = yield* verdicts("unverified", lines.send)
    expect(sent.map(([, verdict]) => verdict)).toEqual(["403 EMAIL_NOT_VERIFIED"])
  }),
  cell(
    "decisions.access.mail.payment_required",
    "402 PAYMENT_REQUIRED each, the send too",
    "payment_required",
    (given) => [...lines.mail(given), ...lines.send(given)],
    PAYMENT,
  ),
  cell(
    "decisions.access.mail.suspended",
    "403 ACCOUNT_SUSPENDED each, the send too",
    "suspended",
    (given) => [...lines.mail(given), ...lines.send(given)],
    SUSPENDED,
  ),
  row("decisions.access.402", "exactly", function* () {
    expectPayment(yield* (yield* agent("payment_required")).call("GET /v1/mailboxes"))
  }),
  row("decisions.access.403-suspended", "exactly, with the reason that the operator gave", function* () {
    expectSuspended(yield* (yield* suspendedAgent()).call("GET /v1/mailboxes"), REASON)
  }),

  row(
    "decisions.order.401-first",
    "before a malformed id and a malformed body, on every operation",
    function* () {
      const { call, operations } = yield* World
      const found = yield* Effect.forEach(operations, (operation) =>
        Effect.map(
          call(operation.replaceAll(/\{[A-Za-z]+\}/g, "not-an-id"), {
            ...(!operation.startsWith("GET") && { body: "{" }),
          }),
          (answer) => verdictOf(answer),
        ),
      )
      const closed = operations.filter((_, index) => found[index] === "401 UNAUTHORIZED")
      const others = operations.filter((operation) => !closed.includes(operation))
      expect(others.filter((operation) => !/signup|\/auth\/|\/content$|\/admin\//.test(operation))).toEqual(
        [],
      )
    },
  ),
  row("decisions.order.suspended", "after 401, whatever is wrong besides", function* () {
    const { call: withoutKey } = yield* World
    const owner = yield* agent("trial")
    const scoped = yield* scopedKey(owner)
    yield* suspend(owner)
    expectError(yield* withoutKey("GET /v1/mailboxes"), 401, "UNAUTHORIZED")
    expectSuspended(yield* scoped.call("POST /v1/mailboxes", { body: "{" }), REASON)
    expectSuspended(yield* scoped.call("POST /v1/api-keys", { body: { name: "k" } }), REASON)
    expectSuspended(yield* owner.call("GET /v1/mailboxes/not-an-id"), REASON)
  }),
  row("decisions.order.scope", "a scoped key of an account that has to pay", function* () {
    const owner = yield* agent("trial")
    const { call } = yield* scopedKey(owner)
    yield* Effect.replicateEffect(send(owner, owner.email), 10)
    expectError(yield* call("GET /v1/account"), 403, "SCOPE_FORBIDDEN")
    expectError(yield* call("POST /v1/mailboxes", { body: { address: "second" } }), 403, "SCOPE_FORBIDDEN")
    expectPayment(yield* call("GET /v1/mailboxes"))
  }),
  row("decisions.order.payment", "a malformed id of an account that has to pay", function* () {
    const { call } = yield* agent("payment_required")
    expectPayment(yield* call("GET /v1/mailboxes/not-an-id"))
    expectPayment(yield* sendFrom({ call }, "not-an-id", "{"))
  }),
  row("decisions.order.path", "a malformed id with a malformed body, and with a wrong query", function* () {
    const { call } = yield* agent()
    expectError(yield* sendFrom({ call }, "not-an-id", "{"), 404, "MAILBOX_NOT_FOUND")
    expectError(yield* call("GET /v1/mailboxes/not-an-id/messages?limit=0"), 404, "MAILBOX_NOT_FOUND")
  }),
  row("decisions.order.body", "a wrong body, and a wrong query, for an absent mailbox", function* () {
    const { call } = yield* agent("active")
    expect((yield* sendFrom({ call }, ABSENT, { to: [] })).status).toBe(400)
    expect((yield* call(`GET /v1/mailboxes/${ABSENT}/messages?limit=0`)).status).toBe(400)
    const body = { name: "", mailboxIds: [ABSENT] }
    expect((yield* call("POST /v1/api-keys", { body })).status).toBe(400)
  }),
  row("decisions.order.named", "an absent mailbox of an owner who may not send", function* () {
    const { call, email } = yield* agent()
    expectError(yield* sendFrom({ call }, ABSENT, sendBody(email)), 404, "MAILBOX_NOT_FOUND")
    const owner = yield* agent("active")
    yield* receive(owner)
    yield* owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { status: "paused" } })
    const missing = yield* send(owner, "bob@partner.dev", { inReplyTo: ABSENT })
    expectError(missing, 404, "MESSAGE_NOT_FOUND")
    expect(textAt(missing.json, "error")).not.toBe("")
  }),
]
