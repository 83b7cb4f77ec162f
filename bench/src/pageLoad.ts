/** The page load, seen from a benchmark. */
import { Effect, Schema } from "effect"
import { ask, type BenchFailure } from "./harness/processes.js"

/** Connections at once. */
const CONNECTIONS = 16

export const PageLoadOutcome = Schema.Struct({
  perSecond: Schema.Number,
  /** milliseconds */
  p50: Schema.Number,
  p99: Schema.Number,
})
export type PageLoadOutcome = typeof PageLoadOutcome.Type

export interface PageLoad {
  readonly port: number
  readonly path: string
  readonly key: string
}

/** Asks for the page for so many milliseconds, from a process of its own. */
export const requestPages = (
  load: PageLoad,
  milliseconds: number,
): Effect.Effect<PageLoadOutcome, BenchFailure> =>
  Effect.scoped(ask("httpLoad", { ...load, milliseconds, connections: CONNECTIONS }, PageLoadOutcome))
