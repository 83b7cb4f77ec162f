/** What a check of `doctor` is. */
import { Data, type Stream } from "effect"
import type { ServerConfig } from "../config/variables.js"

/** A line of the report. A finding is something that was wrong, and makes the command end with code 1. */
export interface Line {
  readonly kind: "finding" | "note"
  readonly text: string
}

/** A check could not be made, or not to its end. `message` is one line: why, and what to do. */
export class CheckFailed extends Data.TaggedError("CheckFailed")<{ readonly message: string }> {}

export interface Check {
  /** what is checked, as the report's heading */
  readonly title: string
  /** Makes the check with the configuration of the service. */
  readonly run: (config: ServerConfig) => Stream.Stream<Line, CheckFailed>
}
