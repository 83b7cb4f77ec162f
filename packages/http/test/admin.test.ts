/**
 * The operator's routes beyond `decisions.admin.*`: each needs the token, none is known without one, searches and
 * pages, bounds (docs/decisions/0020).
 */
import { describe } from "@effect/vitest"
import { AccountsPage, ComplaintsPage } from "@mailroom/api"
import { Account } from "@mailroom/domain"
import { ADMIN_TOKEN, type Call, InMemoryHttp } from "@mailroom/testing"
import { Effect, Option, Schema } from "effect"
import { expect } from "vitest"
import { operate, owner, type Owner, setFacts, signIn, signUp } from "./support/accounts.js"
import { ask, endpoints, read } from "./support/contract.js"
import { mails, receive } from "./support/mail.js"
import { ABSENT } from "./support/routes.js"
import { inOneService, rule } from "./support/service.js"

const admin = { key: ADMIN_TOKEN }
const asAdmin = (target: string, body?: Call["body"]) => ask(target, { ...admin, body })

const accountOf = Effect.fn(function* ({ key }: Owner) {
  const { account } = read(Schema.Struct({ account: Account }))(yield* ask("GET /v1/account", { key }))
  return account
})

/** Every route of the operator's, with a request that is in order. */
const routes: ReadonlyArray<readonly [target: string, body?: Call["body"]]> = [
  ["GET /admin/v1/accounts"],
  [`POST /admin/v1/accounts/${ABSENT}/suspend`, { reason: "spam" }],
  [`POST /admin/v1/accounts/${ABSENT}/unsuspend`],
  [`POST /admin/v1/accounts/${ABSENT}/plan`, { plan: "Growth" }],
  [`POST /admin/v1/mailboxes/${ABSENT}/suspend`],
  [`POST /admin/v1/mailboxes/${ABSENT}/unsuspend`],
  [`POST /admin/v1/mailboxes/${ABSENT}/resume-sending`],
  ["POST /admin/v1/invitations"],
  ["GET /admin/v1/invitations"],
  [`DELETE /admin/v1/invitations/${ABSENT}`],
  ["GET /admin/v1/audit"],
  ["GET /admin/v1/complaints"],
  ["GET /admin/v1/stopped-mailboxes"],
  ["GET /admin/v1/stats"],
  ["POST /admin/v1/doctor"],
  ["GET /admin/v1/errors"],
  ["GET /admin/v1/dkim"],
  ["POST /admin/v1/dkim/rotate"],
]

inOneService((shared) => {
  describe("the platform's keys", () => {
    shared("are shown as DNS records: the one that signs, and the one that will", () =>
      Effect.gen(function* () {
        const dkim = (count: number) => ({
          dnsRecords: {
            dkim: Array.from({ length: count }, () => ({
              type: "TXT",
              host: expect.stringMatching(/^mr[0-9a-f]{8}\._domainkey\.mailroom\.localhost$/),
              value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/=]+$/),
              state: "MISSING",
            })),
          },
        })
        expect((yield* asAdmin("GET /admin/v1/dkim")).json).toEqual(dkim(1))
        const rotated = yield* asAdmin("POST /admin/v1/dkim/rotate")
        expect(rotated.json).toEqual(dkim(2))
        expect((yield* asAdmin("GET /admin/v1/dkim")).json).toEqual(rotated.json)
      }),
    )
  })

  describe("the operator's routes", () => {
    shared("are these", () =>
      Effect.sync(() => {
        const served = endpoints
          .filter(({ name }) => name.startsWith("admin."))
          .map(({ method, path }) => `${method} ${path.replace("{id}", ABSENT)}`)
        expect(routes.map(([target]) => target)).toEqual(served)
      }),
    )

    for (const [target, body] of routes) {
      shared(`need the token: ${target}`, () =>
        Effect.gen(function* () {
          const { key } = yield* signUp()
          for (const call of [
            {},
            { key },
            { key: `${ADMIN_TOKEN}x` },
            { key: ADMIN_TOKEN.toUpperCase() },
            { headers: { authorization: ADMIN_TOKEN } },
            { headers: { authorization: `Basic ${ADMIN_TOKEN}` } },
          ]) {
            const answer = yield* ask(target, { ...call, body })
            expect(answer.status, answer.text).toBe(401)
            expect(answer.json).toEqual({
              error: expect.stringContaining("admin token"),
              code: "UNAUTHORIZED",
            })
          }
        }),
      )

      rule(
        `are unknown paths where no token is set, like any other: ${target}`,
        () =>
          Effect.gen(function* () {
            const { call } = yield* InMemoryHttp
            for (const method of ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"]) {
              const path = target.split(" ")[1] ?? ""
              const other = path.replace("/admin/", "/adnim/")
              for (const key of [ADMIN_TOKEN, undefined]) {
                const options = { ...(key !== undefined && { key }), ...(method === "POST" && { body }) }
                const [closed, unknown] = [
                  yield* call(`${method} ${path}`, options),
                  yield* call(`${method} ${other}`, options),
                ]
                expect(closed.status).toBe(404)
                expect(closed.text).toBe(unknown.text.replace("/adnim/", "/admin/"))
                expect([...closed.headers]).toEqual([...unknown.headers])
              }
            }
          }),
        {},
        { adminToken: Option.none() },
      )
    }

    rule(
      "are unknown paths where no token is set, however they are written",
      () =>
        Effect.gen(function* () {
          const { call } = yield* InMemoryHttp
          for (const path of ["/%61dmin/v1/stats", "/admin/v1/stat%73", "/admin/v1", "/admin/v1/"])
            expect((yield* call(`GET ${path}`, admin)).json).toMatchObject({ code: "ENDPOINT_NOT_FOUND" })
        }),
      {},
      { adminToken: Option.none() },
    )

    shared("are no account's: a session opens none, and no quota is shown", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const refused = yield* ask("GET /admin/v1/stats", { cookie: yield* signIn(account) })
        expect(refused.status).toBe(401)
        for (const answer of [refused, yield* asAdmin("GET /admin/v1/stats")])
          expect(answer.headers.has("x-service-inbound-quota")).toBe(false)
      }),
    )

    shared("open no account's route by the token", () =>
      Effect.gen(function* () {
        expect((yield* ask("GET /v1/account", admin)).status).toBe(401)
      }),
    )

    shared("say which methods they take", () =>
      Effect.gen(function* () {
        const { call } = yield* InMemoryHttp
        const answer = yield* call("DELETE /admin/v1/accounts", admin)
        expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"])
      }),
    )

    inOneService((shared) => {
      for (const [target, body] of routes.filter(([path]) => path.includes(ABSENT)))
        shared(`give 404 for what is not there, and for what cannot be: ${target}`, () =>
          Effect.gen(function* () {
            const kind = /\/(account|mailbox|invitation)/.exec(target)?.[1]?.toUpperCase()
            const code = `${kind}_NOT_FOUND`
            for (const path of [target, target.replace(ABSENT, "seven")]) {
              const answer = yield* asAdmin(path, body)
              expect([answer.status, answer.json]).toEqual([404, { error: expect.any(String), code }])
            }
          }),
        )
    })
  })

  describe("GET /admin/v1/accounts", () => {
    rule("lists accounts as their owners see them, without secrets", () =>
      Effect.gen(function* () {
        const one = yield* owner("active", "one")
        const two = yield* owner("trial", "two")
        const answer = yield* asAdmin("GET /admin/v1/accounts")
        expect(answer.json).toEqual({
          accounts: [yield* accountOf(two), yield* accountOf(one)],
          metadata: { limit: 50, hasMore: false },
        })
        expect(answer.text).not.toMatch(/password|hash/i)
      }),
    )

    rule("finds by the start of an email or slug, or by id", () =>
      Effect.gen(function* () {
        const one = yield* signUp("one")
        yield* signUp("two")
        const { id } = yield* accountOf(one)
        for (const [q, slugs] of [
          ["o", ["one"]],
          ["ONE", ["one"]],
          ["ada%40two", ["two"]],
          ["ada", ["two", "one"]],
          [id, ["one"]],
          ["", ["two", "one"]],
          ["%25", []],
          ["_", []],
        ] as const) {
          const { accounts } = read(AccountsPage)(yield* asAdmin(`GET /admin/v1/accounts?q=${q}`))
          expect([q, accounts.map(({ slug }) => slug)]).toEqual([q, slugs])
        }
      }),
    )

    rule("gives pages, and the cursor of the next", () =>
      Effect.gen(function* () {
        for (const slug of ["one", "two", "three"]) yield* signUp(slug)
        const first = read(AccountsPage)(yield* asAdmin("GET /admin/v1/accounts?limit=2"))
        expect(first.accounts.map(({ slug }) => slug)).toEqual(["three", "two"])
        expect(first.metadata).toEqual({ limit: 2, hasMore: true, nextCursor: expect.any(String) })
        const next = yield* asAdmin(`GET /admin/v1/accounts?limit=2&cursor=${first.metadata.nextCursor}`)
        const second = read(AccountsPage)(next)
        expect(second.accounts.map(({ slug }) => slug)).toEqual(["one"])
        expect(second.metadata).toEqual({ limit: 2, hasMore: false })
      }),
    )

    inOneService((shared) => {
      for (const [query, path] of [
        ["limit=0", "limit"],
        ["limit=101", "limit"],
        ["limit=1.5", "limit"],
        ["cursor=nonsense", "cursor"],
        [`q=${"a".repeat(255)}`, "q"],
        ["q=%00", "q"],
      ] as const)
        shared(`gives 400 for ${query.slice(0, 20)}`, () =>
          Effect.gen(function* () {
            const answer = yield* asAdmin(`GET /admin/v1/accounts?${query}`)
            expect([answer.status, answer.json]).toMatchObject([
              400,
              { code: "VALIDATION_FAILED", issues: [{ path }] },
            ])
          }),
        )
    })
  })

  describe("an account under the operator", () => {
    for (const [what, body] of [
      ["no reason", {}],
      ["an empty reason", { reason: "" }],
      ["a reason of two lines", { reason: "one\ntwo" }],
      ["a reason of 501 characters", { reason: "x".repeat(501) }],
    ] as const)
      shared(`is not suspended for ${what}`, () =>
        Effect.gen(function* () {
          const account = yield* owner("active")
          const answer = yield* operate(account, "suspend", body)
          expect([answer.status, answer.json]).toMatchObject([400, { issues: [{ path: "reason" }] }])
          expect((yield* accountOf(account)).suspended).toBe(false)
        }),
      )

    shared("is put on a plan, and what was gated is there at once", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        yield* setFacts(account, { receivedMonth: { window: "1970-01", count: 99 } })
        yield* receive(account.address, mails(2))
        const answer = yield* operate(account, "plan", { plan: "Growth" })
        expect([answer.status, answer.json]).toMatchObject([
          200,
          { account: { plan: "Growth", state: "active", overLimitMessageCount: 0, billingLinked: false } },
        ])
        const list = yield* ask(`GET /v1/mailboxes/${account.mailboxId}/messages`, { key: account.key })
        expect(list.json).toMatchObject({
          messages: [{ subject: "Mail 2" }, { subject: "Mail 1" }],
          metadata: { overLimitCount: 0 },
        })
      }),
    )

    shared("is put on no plan that there is not", () =>
      Effect.gen(function* () {
        const account = yield* owner("trial")
        for (const plan of ["large", "Gold", null]) {
          const answer = yield* operate(account, "plan", { plan })
          expect([answer.status, answer.json]).toMatchObject([400, { code: "VALIDATION_FAILED" }])
        }
        expect((yield* accountOf(account)).plan).toBe("Free")
      }),
    )
  })

  describe("a mailbox under the operator", () => {
    const patch = ({ key, mailboxId }: Owner, status: string) =>
      ask(`PATCH /v1/mailboxes/${mailboxId}`, { key, body: { status } })

    for (const [what, body, reason] of [
      ["with a reason", { reason: "phishing" }, "phishing"],
      ["without one", undefined, null],
    ] as const)
      shared(`is suspended ${what}, and its owner cannot start it`, () =>
        Effect.gen(function* () {
          const account = yield* owner("active")
          const answer = yield* asAdmin(`POST /admin/v1/mailboxes/${account.mailboxId}/suspend`, body)
          const shown = yield* ask(`GET /v1/mailboxes/${account.mailboxId}`, { key: account.key })
          expect([answer.status, answer.json]).toEqual([200, shown.json])
          expect(answer.json).toMatchObject({ mailbox: { status: "suspended", suspendedReason: reason } })
          expect([(yield* patch(account, "ACTIVE")).json]).toMatchObject([{ code: "MAILBOX_SUSPENDED" }])
        }),
      )
  })

  describe("GET /admin/v1/complaints and stats", () => {
    rule("there are no complaints in a service that nobody complained about", () =>
      Effect.gen(function* () {
        const answer = yield* asAdmin("GET /admin/v1/complaints?limit=10")
        expect(read(ComplaintsPage)(answer)).toEqual({
          complaints: [],
          metadata: { limit: 10, hasMore: false },
        })
        expect((yield* asAdmin("GET /admin/v1/complaints?cursor=x")).status).toBe(400)
      }),
    )

    rule("the numbers of the service", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        yield* receive(account.address)
        expect((yield* asAdmin("GET /admin/v1/stats")).json).toEqual({
          stats: {
            countedTo: 100_000,
            accounts: 1,
            suspendedAccounts: 0,
            mailboxes: 1,
            stoppedMailboxes: 0,
            messagesToday: 1,
            queuedMails: 0,
            waitingDeliveries: 0,
            waitingJobs: 0,
          },
        })
      }),
    )
  })
})
