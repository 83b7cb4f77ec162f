/** The test of a rule, as data: the ids of the rules that it holds, and the worlds that it runs in. */
import type { EngineSettings } from "@mailroom/engine"
import type { InMemoryHttp } from "@mailroom/testing"
import { Effect, type Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import type { RowId } from "./rows/index.js"
import type { Variables } from "./ServerProcess.js"
import type { Virtual, Wire, World } from "./World.js"

/** A test's steps, as `Effect.gen` takes them. */
type Steps<R> = () => Generator<YieldWrap<Effect.Effect<unknown, never, R | Scope.Scope>>, void, never>
type Run<R> = Effect.Effect<void, never, R | Scope.Scope>

/** HTTP options of the operator. */
export type HttpOptions = Parameters<typeof InMemoryHttp.layerWith>[0]

interface Named {
  readonly rows: ReadonlyArray<RowId>
  readonly name: string
}

export type RowTest = Named &
  (
    | { readonly kind: "both"; readonly run: Run<World> }
    | {
        readonly kind: "virtual"
        readonly run: Run<World | Virtual>
        readonly settings: Partial<EngineSettings>
        readonly http: HttpOptions
      }
    | {
        readonly kind: "wire"
        readonly run: Run<World | Wire>
        /** of a separate server; null for the shared one */
        readonly variables: Variables | null
      }
  )

/** One rule, or several that one test holds together. */
type Rows = RowId | readonly [RowId, RowId, ...ReadonlyArray<RowId>]

const named = (rows: Rows, name: string): Named => ({
  rows: typeof rows === "string" ? [rows] : rows,
  name,
})

/** A test that runs in memory and over sockets. */
export const row = (rows: Rows, name: string, steps: Steps<World>): RowTest => ({
  ...named(rows, name),
  kind: "both",
  run: Effect.gen(steps),
})

/** A test that needs the clock, other settings or internals of the service: it runs in memory. */
export const virtual = (
  rows: Rows,
  name: string,
  steps: Steps<World | Virtual>,
  settings: Partial<EngineSettings> = {},
  http: HttpOptions = {},
): RowTest => ({ ...named(rows, name), kind: "virtual", run: Effect.gen(steps), settings, http })

/** A test that needs sockets, or a server with other settings: it runs over sockets. */
export const wire = (
  rows: Rows,
  name: string,
  steps: Steps<World | Wire>,
  variables: Variables | null = null,
): RowTest => ({ ...named(rows, name), kind: "wire", run: Effect.gen(steps), variables })

/** The tests of a subject. */
export type Part = ReadonlyArray<RowTest>
