/** Text that goes into a header field: subjects, file names, custom headers, display names (spec: decisions.body.line-breaks). */
import { Schema } from "effect"

const lineEnds = /[\r\n\0\u2028\u2029\u0085]+/

/** Refuses characters that end a header line, or that some readers treat as its end. */
export const oneLine = <A extends string, I, R>(self: Schema.Schema<A, I, R>) =>
  self.pipe(
    Schema.filter((value) => !lineEnds.test(value) || "must not contain a line break or NUL", {
      jsonSchema: {},
    }),
  )

/**
 * Whether a text has at most `max` characters, as OpenAPI counts them: a character outside of the Basic Multilingual Plane, such as
 * an emoji, is one, and two UTF-16 units.
 */
export const hasAtMost = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && Array.from(text).length <= max)

/** Refuses text of more than `max` characters. */
export const atMostCharacters =
  (max: number) =>
  <A extends string, I, R>(self: Schema.Schema<A, I, R>) =>
    self.pipe(Schema.filter((text) => hasAtMost(text, max), { jsonSchema: { maxLength: max } }))

/** Refuses NUL, which Postgres cannot store in text. */
export const withoutNul = <A extends string, I, R>(self: Schema.Schema<A, I, R>) =>
  self.pipe(Schema.filter((value) => !value.includes("\0") || "must not contain NUL", { jsonSchema: {} }))

/** Puts text from outside on one line. */
export const toOneLine = (text: string): string => text.split(lineEnds).join(" ").trim()
