/** The full name of a test: its rows, their texts and its own name. */
import type { RowTest } from "../src/Row.js"
import { textOf } from "../src/rows/index.js"

/** Timeout of a test in milliseconds: some send as much as a month allows. */
export const ROW_TIMEOUT = 60_000

export const nameOf = ({ rows, name }: RowTest): string =>
  `${rows.join(", ")}: ${rows.map(textOf).join("; ")} (${name})`
