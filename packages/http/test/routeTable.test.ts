/** The table of routes has every route that the application registers (spec: service.wrong-method). */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { NodeHttpServer } from "@effect/platform-node"
import { it } from "@effect/vitest"
import { inOrder } from "@mailroom/engine"
import { Draining, HttpSettings, MailroomHttp, Readiness } from "@mailroom/http"
import { InMemoryHttp, InMemoryMailroom } from "@mailroom/testing"
import { Effect, Layer, Option } from "effect"
import { expect } from "vitest"

/** The paths of all routes, with their methods. */
const registered = Effect.gen(function* () {
  const { routes } = yield* (yield* HttpApiBuilder.Router).router
  const methods = new Map<string, ReadonlyArray<string>>()
  for (const { method, path } of routes) {
    const target = path.replace(/:[A-Za-z]+|\*/g, "any")
    methods.set(target, [...(methods.get(target) ?? []), method])
  }
  return methods
}).pipe(
  Effect.provide(
    inOrder(
      InMemoryMailroom.layer(),
      Draining.layer,
      Readiness.layer,
      Layer.succeed(HttpSettings, {
        trustProxy: false,
        developmentOutbox: true,
        retired: [],
        adminToken: Option.none(),
        supportEmail: Option.none(),
        docsFolder: Option.none(),
      }),
      NodeHttpServer.layerContext,
      HttpApiBuilder.Router.Live,
      HttpApiBuilder.Middleware.layer,
      MailroomHttp.app,
    ),
  ),
)

it.scoped("a path of the application answers 405 to another method, and names its own", () =>
  Effect.gen(function* () {
    const { call } = yield* InMemoryHttp
    const paths = yield* registered
    expect([...paths.keys()]).toEqual(expect.arrayContaining(["/dev/outbox", "/u/any", "/v1/account"]))
    const wrong = yield* Effect.filter(paths, ([path, methods]) =>
      Effect.map(call(`PUT ${path}`), ({ status, headers }) => {
        const allowed = (headers.get("allow") ?? "").split(", ")
        return status !== 405 || !methods.every((method) => allowed.includes(method))
      }),
    )
    expect(wrong).toEqual([])
  }).pipe(Effect.provide(InMemoryHttp.layer())),
)
