/** Whether the process lives and whether it takes work (decisions §1, ROLES). Every process serves these. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Context, Effect, Layer, Ref } from "effect"
import { json } from "../json.js"

/** Set once all listeners of the process are up, and taken back when it stops. */
export class Readiness extends Context.Tag("@mailroom/Readiness")<
  Readiness,
  { readonly isReady: Effect.Effect<boolean>; readonly set: (ready: boolean) => Effect.Effect<void> }
>() {
  static readonly layer: Layer.Layer<Readiness> = Layer.effect(
    Readiness,
    Effect.map(Ref.make(false), (ready) => ({
      isReady: Ref.get(ready),
      set: (value) => Ref.set(ready, value),
    })),
  )
}

export const healthPages = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { isReady } = yield* Readiness
    yield* router.get("/healthz", Effect.succeed(json({ status: "ok" })))
    yield* router.get(
      "/readyz",
      Effect.map(isReady, (ready) =>
        ready
          ? json({ status: "ok" })
          : json({ status: "starting" }, { status: 503, headers: { "Retry-After": "1" } }),
      ),
    )
  }),
)
