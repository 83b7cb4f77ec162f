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

/** Recipients that take turns. */
export const Recipients = Schema.Struct({
  /** the address of the first, whose five digits are its number */
  pattern: Schema.String,
  accounts: Schema.Int,
  /** the share of all mails that goes to the first, beside its turns */
  firstGets: Schema.Number,
})
export type Recipients = typeof Recipients.Type

export interface Load {
  readonly port: number
  /** whom the mails name */
  readonly recipient: string
  /** who gets them; default: the recipient */
  readonly recipients?: Recipients
  /** part of every Message-ID, so that no two loads send the same mail */
  readonly run: string
  readonly mails: number
  /** of one mail */
  readonly bytes: number
  /** at once; default 20 */
  readonly sessions?: number
  /** default: as many as there are */
  readonly mailsPerSession?: number
}

/** Sends the mails from a process of its own and returns when the last one was answered. */
export const sendMails = (load: Load): Effect.Effect<LoadOutcome, BenchFailure> =>
  Effect.scoped(ask("smtpLoad", { sessions: SESSIONS, ...load }, LoadOutcome))
