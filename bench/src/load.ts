/** The load generator, seen from a benchmark. */
import { Effect, Schema } from "effect"
import { ask, type BenchFailure } from "./harness/processes.js"

/** Sessions at once. */
const SESSIONS = 20

/** What a load process reports; times in milliseconds, instants since the epoch. */
export const LoadOutcome = Schema.Struct({
  /** the first MAIL, when every session was open */
  startedAt: Schema.Number,
  /** the last 250 */
  acceptedAt: Schema.Number,
  /** from MAIL to the 250 */
  p50: Schema.Number,
  p99: Schema.Number,
})
export type LoadOutcome = typeof LoadOutcome.Type

export interface Load {
  readonly port: number
  readonly recipient: string
  /** part of every Message-ID, so that no two loads send the same mail */
  readonly run: string
  readonly mails: number
  /** of one mail */
  readonly bytes: number
  /** at once; default 20 */
  readonly sessions?: number
}

/** Sends the mails from a process of its own and returns when the last one was answered. */
export const sendMails = (load: Load): Effect.Effect<LoadOutcome, BenchFailure> =>
  Effect.scoped(ask("smtpLoad", { sessions: SESSIONS, ...load }, LoadOutcome))
