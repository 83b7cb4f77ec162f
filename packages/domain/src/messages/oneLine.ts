/** Text that goes into a header field: subjects, file names, custom headers, display names (decisions §5). */
import { Schema } from "effect"

const lineEnds = /[\r\n\0\u2028\u2029\u0085]+/

/** Refuses what ends a header line, or what some reader takes for its end. */
export const oneLine = <A extends string, I, R>(self: Schema.Schema<A, I, R>) =>
  self.pipe(
    Schema.filter((value) => !lineEnds.test(value) || "must not contain a line break or NUL", {
      jsonSchema: {},
    }),
  )

/** Refuses NUL: Postgres stores no text that has one. */
export const withoutNul = <A extends string, I, R>(self: Schema.Schema<A, I, R>) =>
  self.pipe(Schema.filter((value) => !value.includes("\0") || "must not contain NUL", { jsonSchema: {} }))

/** What others wrote, on one line. */
export const toOneLine = (text: string): string => text.split(lineEnds).join(" ").trim()
