/** `/healthz` and `/readyz`: whether the process lives, and whether it takes work. Every process serves them. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { StorageHealth } from "@mailroom/engine"
import { Context, Effect, Layer, Ref } from "effect"
import { json } from "../json.js"

/** The readiness of the process apart from its storage. */
export class Readiness extends Context.Tag("@mailroom/Readiness")<
  Readiness,
  {
    readonly isReady: Effect.Effect<boolean>
    /** True once all listeners of the process are up, false when it stops. */
    readonly set: (ready: boolean) => Effect.Effect<void>
    /** Why the relay takes no mail, as of the last check; null while it does. It does not make the process unready. */
    readonly relayProblem: Effect.Effect<string | null>
    readonly setRelayProblem: (problem: string | null) => Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<Readiness> = Layer.effect(
    Readiness,
    Effect.gen(function* () {
      const ready = yield* Ref.make(false)
      const relayProblem = yield* Ref.make<string | null>(null)
      return {
        isReady: Ref.get(ready),
        set: (value) => Ref.set(ready, value),
        relayProblem: Ref.get(relayProblem),
        setRelayProblem: (problem) => Ref.set(relayProblem, problem),
      }
    }),
  )
}

const notReady = (status: string, problems: Readonly<Record<string, string>> = {}) =>
  json({ status, ...problems }, { status: 503, headers: { "Retry-After": "1" } })

/** 200 while the process takes work. Otherwise 503, with a field for each store that cannot write. */
const readiness = Effect.gen(function* () {
  const { isReady, relayProblem } = yield* Readiness
  const storage = yield* StorageHealth
  return Effect.gen(function* () {
    if (!(yield* isReady)) return notReady("starting")
    const relay = yield* relayProblem
    const { database, blobs } = yield* storage.problems
    const problems = {
      ...(database !== null && { database: `cannot write: ${database}` }),
      ...(blobs !== null && { blobs: `cannot write: ${blobs}` }),
      ...(relay !== null && { relay }),
    }
    return database === null && blobs === null
      ? json({ status: "ok", ...problems })
      : notReady("storage unavailable", problems)
  })
})

export const healthPages = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    yield* router.get("/healthz", Effect.succeed(json({ status: "ok" })))
    yield* router.get("/readyz", yield* readiness)
  }),
)
