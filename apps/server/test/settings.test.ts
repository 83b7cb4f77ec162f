/** The README's table of settings is generated from the declarations of the variables. */
import { expect, it } from "@effect/vitest"
import { variables } from "@mailroom/server/config/variables"
import { readFileSync } from "node:fs"

const cell = (text: string): string => text.replaceAll("|", "\\|")

/** The rows of `| variable | default | meaning |`, padded as the formatter pads tables. */
const settingsTable = (): string => {
  const rows = Object.values(variables).map(({ name, fallback, meaning }) => [
    `\`${name}\``,
    fallback === null ? "" : `\`${fallback}\``,
    cell(meaning),
  ])
  const all = [["variable", "default", "meaning"], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>, fill = " ") =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0, fill)).join(" | ")} |`
  return [
    line(["variable", "default", "meaning"]),
    line(["", "", ""], "-"),
    ...rows.map((row) => line(row)),
  ].join("\n")
}

const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8")

it("the README lists every variable with its default and its meaning", () => {
  const table = /<!-- settings -->\s*([\s\S]*?)\s*<!-- \/settings -->/.exec(readme)?.[1]
  expect(table, `The table should be:\n\n${settingsTable()}\n`).toBe(settingsTable())
})

it("every variable is listed under its own name", () => {
  expect(Object.entries(variables).map(([key, { name }]) => [key, name])).toEqual(
    Object.keys(variables).map((key) => [key, key]),
  )
})
