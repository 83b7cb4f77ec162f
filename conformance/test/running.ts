/**
 * Names and places of tests. A test that only needs its own accounts can run in memory and over sockets. `npm test`
 * runs each in one of the two to end within minutes; `CONFORMANCE=all`, which CI sets, runs them in both.
 */
import type { RowTest } from "../src/Row.js"
import { textOf } from "../src/rows/index.js"

/** The full name of a test: its rows, their texts and its own name. */
export const nameOf = ({ rows, name }: RowTest): string =>
  `${rows.join(", ")}: ${rows.map(textOf).join("; ")} (${name})`

type Anywhere = Extract<RowTest, { readonly kind: "both" }>

/** Whether every test runs in every world that it can run in. */
export const isComplete = process.env["CONFORMANCE"] === "all"

/** The tests that run over sockets: about a tenth, because they take longer there. The choice is the same on every machine. */
const isForSockets = ({ rows }: RowTest): boolean =>
  Buffer.from(rows.join()).reduce((sum, byte) => sum + byte, 0) % 10 === 0

export const runsInMemory = (test: RowTest): test is Anywhere =>
  test.kind === "both" && (isComplete || !isForSockets(test))

export const runsOverSockets = (test: RowTest): test is Anywhere =>
  test.kind === "both" && (isComplete || isForSockets(test))
