/** A test's name: its rows, what they say, and what the test does about it. */
import type { RowTest } from "../src/Row.js"
import { textOf } from "../src/rows/index.js"

export const nameOf = ({ rows, name }: RowTest): string =>
  `${rows.join(", ")}: ${rows.map(textOf).join("; ")} (${name})`
