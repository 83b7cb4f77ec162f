/** A test's name: its rows, what they say, and what the test does about it. */
import type { RowTest } from "../src/Row.js"
import { textOf } from "../src/rows/index.js"

/** How long a row may take, milliseconds: some send what a whole month allows. */
export const ROW_TIMEOUT = 60_000

export const nameOf = ({ rows, name }: RowTest): string =>
  `${rows.join(", ")}: ${rows.map(textOf).join("; ")} (${name})`
