/** How values are stored in columns. */
import { Schema } from "effect"
import { createHash } from "node:crypto"

/** A flag stored as 0 or 1, because better-sqlite3 binds no booleans. */
export const Flag = Schema.transform(Schema.Literal(0, 1), Schema.Boolean, {
  strict: true,
  decode: (stored) => stored === 1,
  encode: (flag) => (flag ? 1 : 0),
})

/** A structure as JSON text. */
export const JsonText = <A, I>(schema: Schema.Schema<A, I>) => Schema.parseJson(schema)

/** The column of a field: `received_month` for `receivedMonth`. */
export const columnOf = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

/**
 * A `WindowCount` is stored in two columns: the window in `sent_day`, the count in `sent_day_count`. `fold` makes one
 * field of the two in a row that was read; `unfold` returns the two values of a field to store.
 */
export const windowCounts = {
  countField: (field: string): string => `${field}Count`,
  fold: (row: unknown, fields: ReadonlyArray<string>): unknown =>
    isFields(row)
      ? {
          ...row,
          ...Object.fromEntries(
            fields.map((field) => [field, { window: row[field], count: row[`${field}Count`] }]),
          ),
        }
      : row,
  unfold: (value: unknown): ReadonlyArray<unknown> =>
    isFields(value) ? [value["window"], value["count"]] : [value],
}

/** Characters. Each takes up to three bytes, so this stays far below the 2,704 bytes of a Postgres index entry. */
const INDEXED_MAX_LENGTH = 400

/**
 * The form in which an indexed column stores a text that a stranger chose, such as a Message-ID, which may be kilobytes
 * long: the text itself, or its first 400 characters and its SHA-256. A NUL becomes U+FFFD on SQLite too, as Postgres
 * requires.
 */
export const indexable = (text: string): string => {
  const clean = text.replaceAll("\0", "\u{fffd}")
  return clean.length <= INDEXED_MAX_LENGTH
    ? clean
    : `${clean.slice(0, INDEXED_MAX_LENGTH).toWellFormed()}#${createHash("sha256").update(text).digest("hex")}`
}
