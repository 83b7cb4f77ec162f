import { Heights } from "@mailroom/dashboard/rules/heights"
import { describe, expect, it } from "vitest"

/** Heights between 1 and 97, the same each time. */
const heightOf = (row: number): number => ((row * 7919) % 97) + 1

/** What `Heights` must say, counted slowly. */
const offsetsOf = (count: number, height: (row: number) => number): ReadonlyArray<number> =>
  Array.from({ length: count }).reduce<ReadonlyArray<number>>(
    (offsets, _, row) => [...offsets, (offsets[row] ?? 0) + height(row)],
    [0],
  )

describe("the heights of a list", () => {
  it.each([1, 2, 3, 64, 100, 257])("agree with adding up, for %i rows", (count) => {
    const heights = new Heights(count, 40)
    for (let row = 0; row < count; row += 2) heights.measure(row, heightOf(row))
    const offsets = offsetsOf(count, (row) => (row % 2 === 0 ? heightOf(row) : 40))
    for (let row = 0; row <= count; row++) expect(heights.offset(row)).toBe(offsets[row])
    expect(heights.total).toBe(offsets[count])
    for (let row = 0; row < count; row++) {
      const top = offsets[row] ?? 0
      expect(heights.rowAt(top)).toBe(row)
      expect(heights.rowAt(top + heights.height(row) - 0.25)).toBe(row)
    }
  })

  it("beyond the edges give the first and the last row", () => {
    const heights = new Heights(10, 40)
    expect([heights.rowAt(-5), heights.rowAt(400), heights.rowAt(1e9)]).toEqual([0, 9, 9])
  })

  it("of no rows are nothing", () => {
    const heights = new Heights(0, 40)
    expect([heights.total, heights.rowAt(0)]).toEqual([0, 0])
  })

  it("are kept when rows are added, and forgotten with another estimate", () => {
    const before = new Heights(5, 40)
    before.measure(2, 100)
    expect(new Heights(8, 40, before).total).toBe(8 * 40 + 60)
    expect(new Heights(2, 40, before).total).toBe(80)
    expect(new Heights(8, 30, before).total).toBe(240)
  })

  it("say whether a measure changed them", () => {
    const heights = new Heights(5, 40)
    expect([
      heights.measure(1, 40),
      heights.measure(1, 50),
      heights.measure(1, 50.2),
      heights.measure(5, 10),
    ]).toEqual([false, true, false, false])
  })
})
