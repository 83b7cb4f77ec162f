/** Every rule stands on one page of the specification and has a test; the generated pages are current. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { heldBy, idsOf, report } from "../src/report.js"
import { pages, waiting } from "../src/rows/index.js"
import { rulesOf, rulesOn, withTables } from "../src/specification/pages.js"
import { tests } from "./parts/index.js"

const ids = idsOf({ pages })
const held = heldBy({ tests })

it("every row has an id of its own", () => {
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

it("every row has a test, except those that wait for one", () => {
  expect(ids.filter((id) => !held.has(id))).toEqual(ids.filter((id) => id in waiting))
})

it("every waiting row exists", () => {
  expect(Object.keys(waiting).filter((id) => !ids.includes(id))).toEqual([])
})

it("docs/conformance.md is current: `npm run conformance` writes it", async () => {
  await expect(report({ pages, tests, waiting })).toMatchFileSnapshot("../../docs/conformance.md")
})

describe.each(Object.entries(pages))("docs/specification/%s.md", (name, sections) => {
  const file = new URL(`../../docs/specification/${name}.md`, import.meta.url)
  const page = withTables(readFileSync(file, "utf8"), new Set(ids))

  it("its generated tables are current: `npm run conformance` writes them", async () => {
    await expect(page).toMatchFileSnapshot(`../../docs/specification/${name}.md`)
  })

  it("states each of its rows once, under the row's heading, and no other", () => {
    expect(rulesOn(page, new Set(ids))).toEqual(rulesOf(sections))
  })
})
