import { Heights } from "@mailroom/dashboard/rules/heights"
import { describe, expect, it } from "vitest"

/** Heights between 1 and 97, the same each time. */
const heightOf = (row: number): number => ((row * 7919) % 97) + 1

/** Rows `0` and so on. */
const rows = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, row) => String(row))

/** What `Heights` must say, counted slowly. */
const offsetsOf = (count: number, height: (row: number) => number): ReadonlyArray<number> =>
  Array.from({ length: count }).reduce<ReadonlyArray<number>>(
    (offsets, _, row) => [...offsets, (offsets[row] ?? 0) + height(row)],
    [0],
  )

describe("the heights of a list", () => {
  it.each([1, 2, 3, 64, 100, 257])("agree with adding up, for %i rows", (count) => {
    const heights = new Heights(rows(count), 40)
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
    const heights = new Heights(rows(10), 40)
    expect([heights.rowAt(-5), heights.rowAt(400), heights.rowAt(1e9)]).toEqual([0, 9, 9])
  })

  it("of no rows are nothing", () => {
    const heights = new Heights([], 40)
    expect([heights.total, heights.rowAt(0)]).toEqual([0, 0])
  })

  it("are kept when rows are added, and forgotten with another estimate", () => {
    const before = new Heights(rows(5), 40)
    before.measure(2, 100)
    expect(new Heights(rows(8), 40, before).total).toBe(8 * 40 + 60)
    expect(new Heights(rows(2), 40, before).total).toBe(80)
    expect(new Heights(rows(8), 30, before).total).toBe(240)
  })

  it("stay with their rows when others come above", () => {
    const before = new Heights(["b", "c"], 40)
    before.measure(0, 100)
    const after = new Heights(["a", "b", "c"], 40, before)
    expect([after.height(0), after.height(1), after.rowOf("b"), after.rowOf("x")]).toEqual([
      40,
      100,
      1,
      undefined,
    ])
  })

  it("say whether a measure changed them", () => {
    const heights = new Heights(rows(5), 40)
    expect([
      heights.measure(1, 40),
      heights.measure(1, 50),
      heights.measure(1, 50.2),
      heights.measure(5, 10),
    ]).toEqual([false, true, false, false])
  })
})

describe("a list that changes while somebody reads in it", () => {
  /** The rows of ten, scrolled by two and a half of them; four are in sight. */
  const topAfter = (keys: string): number =>
    new Heights(Array.from(keys), 40).topAfter(new Heights(Array.from("abcdefghij"), 40), {
      top: 100,
      height: 120,
    })

  it("scrolls by the rows that came above what is in sight", () => {
    expect(topAfter("12abcdefghij")).toBe(180)
    expect(topAfter("abcdefghij")).toBe(100)
  })

  it("scrolls by the rows that went, also where one of them was in sight", () => {
    expect(topAfter("bcdefghij")).toBe(60)
    expect(topAfter("abdefghij")).toBe(60)
    expect(topAfter("abcefghij")).toBe(100)
  })

  it("does not follow a row that moved to the top", () => {
    expect(topAfter("cabdefghij")).toBe(100)
    expect(topAfter("gabcdefhij")).toBe(140)
    expect(topAfter("1cabdefghij")).toBe(140)
  })

  it("stays where it is when nothing in sight is left, and at the upper edge", () => {
    expect(topAfter("xy")).toBe(100)
    const before = new Heights(rows(5), 40)
    expect(new Heights(["new", ...rows(5)], 40, before).topAfter(before, { top: 0, height: 120 })).toBe(0)
  })
})
