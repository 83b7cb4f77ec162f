/** What was reported about messages that left: so that a report which comes again is no news (decisions §6). */
import type { Instant, MessageId, Reported } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface ReportRecord {
  readonly messageId: MessageId
  /** normalized */
  readonly recipient: string
  readonly outcome: Reported
  readonly reportedAt: Instant
}

/** A record goes with its message. */
export class ReportStore extends Context.Tag("@mailroom/ReportStore")<
  ReportStore,
  {
    /** Writes down what is new, and returns it. */
    readonly insertNew: (reports: ReadonlyArray<ReportRecord>) => Effect.Effect<ReadonlyArray<ReportRecord>>
  }
>() {}
