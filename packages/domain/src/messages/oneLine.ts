/** Text that goes into a header field: subjects, file names, custom headers, display names (decisions §5). */
import { Schema } from "effect"

/** Refuses what ends a header line, or what some reader takes for its end. */
export const oneLine = <A extends string, I, R>(self: Schema.Schema<A, I, R>) =>
  self.pipe(
    Schema.filter(
      (value) => !/[\r\n\0\u2028\u2029\u0085]/.test(value) || "must not contain a line break or NUL",
    ),
  )
