/** Reports that were applied, so that a repeated report has no effect (`spec: decisions.reports.bounced`). */
import type { Instant, MessageId, Reported } from "@mailroom/domain"
import { Context, type Effect } from "effect"

export interface ReportRecord {
  readonly messageId: MessageId
  /** normalized address */
  readonly recipient: string
  /** `hard-bounced`: beside `bounced`, for a bounce that says that the address does not exist */
  readonly outcome: Reported | "hard-bounced"
  readonly reportedAt: Instant
}

/** Records are removed with their message. */
export class ReportStore extends Context.Tag("@mailroom/ReportStore")<
  ReportStore,
  {
    /** Inserts the reports that are not stored yet, and returns those. */
    readonly insertNew: (reports: ReadonlyArray<ReportRecord>) => Effect.Effect<ReadonlyArray<ReportRecord>>
  }
>() {}
