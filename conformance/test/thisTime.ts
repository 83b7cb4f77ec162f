/**
 * Which rows run where. A row that needs no more than its own accounts is held in memory and over sockets. `npm test`
 * has each of them in one of the two, for it has to end within minutes; `CONFORMANCE=all`, as CI sets it, in both.
 */
import type { RowTest } from "../src/Row.js"

type Anywhere = Extract<RowTest, { readonly kind: "both" }>

/** Whether every row runs wherever it can. */
export const isComplete = process.env["CONFORMANCE"] === "all"

/** The same on every machine; about a quarter, for over sockets they take longer. */
const isForSockets = ({ rows }: RowTest): boolean =>
  Buffer.from(rows.join()).reduce((sum, byte) => sum + byte, 0) % 4 === 0

export const runsInMemory = (test: RowTest): test is Anywhere =>
  test.kind === "both" && (isComplete || !isForSockets(test))

export const runsOverSockets = (test: RowTest): test is Anywhere =>
  test.kind === "both" && (isComplete || isForSockets(test))
