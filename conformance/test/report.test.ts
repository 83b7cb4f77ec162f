/** No row without a test, no test without a row, and the page that says so is current. */
import { expect, it } from "vitest"
import { heldBy, idsOf, report } from "../src/report.js"
import { parts } from "../src/rows/index.js"
import { waiting } from "../src/rows/waiting.js"
import { tests } from "./parts/index.js"

const ids = idsOf({ parts })
const held = heldBy({ tests })

it("every row has an id of its own", () => {
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

it("every row has a test, but for those that wait", () => {
  expect(ids.filter((id) => !held.has(id))).toEqual(ids.filter((id) => id in waiting))
})

it("no row waits that is not there", () => {
  expect(Object.keys(waiting).filter((id) => !ids.includes(id))).toEqual([])
})

it("docs/conformance.md is current: `npm run conformance` writes it", async () => {
  await expect(report({ parts, tests, waiting })).toMatchFileSnapshot("../../docs/conformance.md")
})
