/** A test's name: its rows, and what it does. */
import type { RowTest } from "../src/Row.js"

export const nameOf = ({ rows, name }: RowTest): string => `${rows.join(", ")}: ${name}`
