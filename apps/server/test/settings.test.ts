/** The README's table of settings is what the variables say of themselves. */
import { expect, it } from "@effect/vitest"
import { variables } from "@mailroom/server/config/variables"
import { readFileSync } from "node:fs"
import { settingsTable } from "./support/settingsTable.js"

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
