/** Tables: columns in line on a terminal, and lines with tabs for programs. */
import { safeLine } from "./safeText.js"
import { cut, widthOf } from "./width.js"

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  /** whether the column may be cut where the terminal is too narrow; ids may not */
  readonly shrinks?: boolean
}

export interface Layout {
  /** whether a person reads it: then there are titles and columns in line */
  readonly isTerminal: boolean
  /** columns of the terminal */
  readonly width: number
  readonly bold: (text: string) => string
}

const GAP = 2
/** Columns that a column keeps when it shrinks. */
const NARROWEST = 8

/** Letters of scripts that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** FSI and PDI around a text from right to left keep the order of the columns (Unicode Standard Annex 9). */
const isolated = (text: string): string => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text)

/** Takes one column after the other from the widest of those that may shrink, until the line fits. */
const fitted = (
  widths: ReadonlyArray<number>,
  shrinks: ReadonlyArray<boolean>,
  width: number,
): ReadonlyArray<number> => {
  const result = [...widths]
  let excess = result.reduce((sum, part) => sum + part, GAP * (result.length - 1)) - width
  for (; excess > 0; excess--) {
    const candidates = result.map((part, index) => (shrinks[index] === true ? part : 0))
    const widest = Math.max(...candidates)
    if (widest <= NARROWEST) break
    result[candidates.indexOf(widest)] = widest - 1
  }
  return result
}

const lines = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  shrinks: ReadonlyArray<boolean>,
  width: number,
): ReadonlyArray<string> => {
  const natural = shrinks.map((_, index) => Math.max(...rows.map((row) => widthOf(row[index] ?? ""))))
  const widths = fitted(natural, shrinks, width)
  return rows.map((row) =>
    row
      .map((cell, index) => {
        const room = widths[index] ?? 0
        const text = cut(cell, room)
        const isLast = index === row.length - 1
        return isolated(text) + " ".repeat(isLast ? 0 : room - widthOf(text) + GAP)
      })
      .join("")
      .trimEnd(),
  )
}

const cellsOf = <Row>(rows: ReadonlyArray<Row>, columns: ReadonlyArray<Column<Row>>) =>
  rows.map((row) => columns.map(({ value }) => safeLine(value(row))))

const shrinksOf = <Row>(columns: ReadonlyArray<Column<Row>>) => columns.map(({ shrinks }) => shrinks === true)

/** The lines of rows without titles. */
export const rowLines = <Row>(
  rows: ReadonlyArray<Row>,
  columns: ReadonlyArray<Column<Row>>,
  { isTerminal, width }: Layout,
): ReadonlyArray<string> => {
  const cells = cellsOf(rows, columns)
  return isTerminal ? lines(cells, shrinksOf(columns), width) : cells.map((row) => row.join("\t"))
}

/** The lines of a table; with titles on a terminal. */
export const tableLines = <Row>(
  rows: ReadonlyArray<Row>,
  columns: ReadonlyArray<Column<Row>>,
  layout: Layout,
): ReadonlyArray<string> => {
  if (!layout.isTerminal) return rowLines(rows, columns, layout)
  const titles = columns.map(({ title }) => title)
  const [head = "", ...body] = lines([titles, ...cellsOf(rows, columns)], shrinksOf(columns), layout.width)
  return [layout.bold(head), ...body]
}
