/**
 * Every route of the OpenAPI document against callers with every set of permissions: the answer is what `x-keys` and
 * `x-permissions` of the document say. The rule behind the routes is asked for every set. Over HTTP, `npm test` tries a caller
 * for each permission, and `npm run conformance:all` (`CONFORMANCE=all`, CI) one for every set: 4,000 requests take 7 s.
 */
import { describe, it } from "@effect/vitest"
import { Api, CreatedKey, guardedEndpoints, openApiDocument } from "@mailroom/api"
import { admitCaller, allPermissions, type Permission } from "@mailroom/domain"
import { type Call, InMemoryHttp } from "@mailroom/testing"
import { Effect, Either, Schema } from "effect"
import { expect } from "vitest"
import { owner, type Owner, signIn } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { inOneScene } from "./support/service.js"

const Needs = Schema.Struct({
  "x-keys": Schema.Literal("scoped", "full", "none"),
  "x-permissions": Schema.Array(Schema.String),
})

/**
 * Every operation with a caller, as a request that changes nothing: its ids are malformed, and it has an unknown query
 * parameter. Both are refused right after the access rule.
 */
const operations = Object.entries(
  openApiDocument({ baseUrl: "http://mailroom.test", headerPrefix: "X-Service-" }).paths,
).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, { security }]) => security.length > 0)
    .map(([method, operation]) => ({
      name: operation.operationId,
      target: `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "none")}?unknown=1`,
      needs: Schema.decodeUnknownSync(Needs)(operation),
    })),
)
type Operation = (typeof operations)[number]

interface Caller {
  readonly kind: "session" | "scoped" | "full"
  readonly permissions: ReadonlyArray<Permission>
}

/** All sets of at least one permission. */
const setsOf = (all: ReadonlyArray<Permission>): ReadonlyArray<ReadonlyArray<Permission>> =>
  Array.from({ length: 2 ** all.length - 1 }, (_, n) =>
    all.filter((_permission, bit) => ((n + 1) & (1 << bit)) !== 0),
  )

const everybody: ReadonlyArray<Caller> = [
  { kind: "session", permissions: allPermissions },
  ...setsOf(allPermissions).map((permissions): Caller => ({ kind: "full", permissions })),
  ...setsOf(["read", "send", "draft", "manage"]).map((permissions): Caller => ({
    kind: "scoped",
    permissions,
  })),
]

/** The refusal that the document promises; null: the caller gets in. */
const promised = ({ kind, permissions }: Caller, { needs }: Operation) => {
  const { "x-keys": keys, "x-permissions": required } = needs
  if (kind === "scoped" && keys !== "scoped") return { code: "SCOPE_FORBIDDEN" }
  if (kind === "full" && keys === "none") return { code: "SESSION_REQUIRED" }
  if (required.length === 0 || required.some((one) => permissions.some((own) => own === one))) return null
  return { code: "PERMISSION_DENIED", required }
}

const credentials = ({ key, mailboxId, ...account }: Owner, { kind, permissions }: Caller) =>
  kind === "session"
    ? Effect.map(signIn({ key, mailboxId, ...account }), (cookie): Call => ({ cookie }))
    : Effect.map(
        ask("POST /v1/api-keys", {
          key,
          body: { name: "matrix", permissions, ...(kind === "scoped" && { mailboxIds: [mailboxId] }) },
        }),
        (answer): Call => ({ key: read(CreatedKey)(answer).key }),
      )

const codes: Readonly<Record<string, string>> = {
  ScopeForbidden: "SCOPE_FORBIDDEN",
  SessionRequired: "SESSION_REQUIRED",
  PermissionDenied: "PERMISSION_DENIED",
}

const Refusal = Schema.Struct({ code: Schema.String, required: Schema.optional(Schema.Array(Schema.String)) })

describe("every route of the document", () => {
  it("admits and refuses as it says, with every set of permissions", () => {
    const rules = new Map(guardedEndpoints(Api).map((endpoint) => [endpoint.name, endpoint]))
    for (const operation of operations)
      for (const { kind, permissions } of everybody) {
        const rule = rules.get(operation.name)
        const caller = {
          state: "active",
          paymentReason: "the trial is over",
          suspendedReason: null,
          verified: true,
          permissions,
        } as const
        const refusal =
          rule &&
          admitCaller(rule.access, rule.needs, { ...caller, credential: kind }).pipe(
            Either.flip,
            Either.getOrNull,
          )
        expect(refusal && codes[refusal._tag], operation.name).toBe(
          promised({ kind, permissions }, operation)?.code ?? null,
        )
      }
  })

  const overHttp =
    process.env["CONFORMANCE"] === "all"
      ? everybody
      : everybody.filter(({ kind, permissions }) => kind === "session" || permissions.length === 1)
  inOneScene(owner("active"), (shared) => {
    for (const caller of overHttp)
      shared(
        `answers as it says a ${caller.kind} caller that may ${caller.permissions.join(", ")}`,
        (account) =>
          Effect.gen(function* () {
            const { call } = yield* InMemoryHttp
            const who = yield* credentials(account, caller)
            const answered = yield* Effect.forEach(operations, ({ target }) =>
              Effect.map(call(target, who), (answer) => ({
                target,
                refusal: answer.status === 403 ? read(Refusal)(answer) : null,
                isOther: ![200, 400, 403, 404].includes(answer.status),
              })),
            )
            expect(answered).toEqual(
              operations.map((operation) => ({
                target: operation.target,
                refusal: promised(caller, operation),
                isOther: false,
              })),
            )
          }),
      )
  })
})
