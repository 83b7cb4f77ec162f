/** What was measured, the bound it has to keep, and how both are shown. */

export interface Check {
  readonly what: string
  readonly measured: number
  readonly unit: string
  readonly bound: "at least" | "at most"
  readonly limit: number
}

export const atLeast = (what: string, measured: number, limit: number, unit: string): Check => ({
  what,
  measured,
  unit,
  bound: "at least",
  limit,
})

export const atMost = (what: string, measured: number, limit: number, unit: string): Check => ({
  what,
  measured,
  unit,
  bound: "at most",
  limit,
})

/** A measurement that is not a number keeps no bound. */
export const holds = ({ bound, measured, limit }: Check): boolean =>
  bound === "at least" ? measured >= limit : measured <= limit

/** Three significant digits below a thousand, whole numbers above. */
export const figure = (value: number): string =>
  Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)))

/** Rows as aligned columns, the first one to the left. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths: Array<number> = []
  for (const row of rows)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length)
    })
  const line = (row: ReadonlyArray<string>) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
  return rows.map((row) => `  ${line(row)}`).join("\n")
}

export const verdicts = (checks: ReadonlyArray<Check>): string =>
  table(
    checks.map((check) => [
      `${holds(check) ? "ok  " : "MISS"} ${check.what}`,
      `${figure(check.measured)} ${check.unit}`,
      `(${check.bound} ${figure(check.limit)})`,
    ]),
  )
