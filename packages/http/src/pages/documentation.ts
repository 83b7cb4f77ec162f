/** `/openapi.json` and `/docs`: the OpenAPI description, and a page that shows it (spec: decisions.pages.openapi). */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { openApiDocument } from "@mailroom/api"
import { Settings } from "@mailroom/engine"
import { Context, Effect, Layer, Scope } from "effect"
import { json } from "../json.js"

/** Made at the first request. */
const description = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const settings = yield* Settings
    const document = yield* Effect.cached(Effect.sync(() => json(openApiDocument(settings))))
    yield* router.get("/openapi.json", document)
  }),
)

/** The page, made at the first request: its script takes 10 MB of memory, and most processes never serve it. */
const page = Effect.gen(function* () {
  const { layer } = yield* Effect.promise(() => import("@effect/platform/HttpApiSwagger"))
  const router = Layer.provideMerge(layer({ path: "/docs" }), HttpApiBuilder.Router.Live)
  return yield* Context.get(yield* Layer.build(router), HttpApiBuilder.Router).router
})

const docs = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const api = yield* HttpApi.Api
    const scope = yield* Effect.scope
    const cached = yield* Effect.cached(
      page.pipe(Effect.provideService(HttpApi.Api, api), Effect.provideService(Scope.Scope, scope)),
    )
    yield* router.get("/docs", Effect.flatten(cached))
  }),
)

export const documentation = Layer.merge(description, docs)
