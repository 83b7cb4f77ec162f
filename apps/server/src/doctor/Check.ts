/** The interface of a check of `doctor`. */
import { Data, type Stream } from "effect"
import type { ServerConfig } from "../config/variables.js"

/** A line of the report. A `finding` is something wrong, and makes the command end with code 1. */
export interface Line {
  readonly kind: "finding" | "note"
  readonly text: string
}

/** A check could not run to its end. `message` is one line: the reason, and what to do. */
export class CheckFailed extends Data.TaggedError("CheckFailed")<{ readonly message: string }> {}

export interface Check {
  /** heading in the report: what is checked */
  readonly title: string
  /** Runs the check with the configuration of the service. */
  readonly run: (config: ServerConfig) => Stream.Stream<Line, CheckFailed>
}
