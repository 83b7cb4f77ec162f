/** Lists that grow at both ends: by pages, and by what happens. */
import { withNext } from "@mailroom/dashboard/rules/lists"
import { hasGap, withFresh, withMoved } from "@mailroom/dashboard/rules/newest"
import { describe, expect, it } from "vitest"

interface Item {
  readonly id: string
  /** its place in the order */
  readonly at: string
}

const item = (id: string, at = id): Item => ({ id, at })
const items = (...ids: ReadonlyArray<string>): ReadonlyArray<Item> => ids.map((id) => item(id))
const ids = (list: ReadonlyArray<Item>): string => list.map(({ id }) => id).join(" ")
const placeOf = ({ at }: Item): string => at

describe("a list", () => {
  it("shows an item once that came by an event before the page that has it", () => {
    expect(ids(withNext(items("2", "9"), items("3", "2", "1")))).toBe("2 9 3 1")
  })

  it("adds new items of a fresh first page on top, and changes the others in their places", () => {
    expect(withFresh(items("2", "1"), [item("3"), item("1", "changed")])).toEqual([
      item("3"),
      item("2"),
      item("1", "changed"),
    ])
  })

  it("of threads moves one with a new message to the top", () => {
    expect(withMoved(items("3", "2", "1"), [item("1", "4")])).toEqual([item("1", "4"), item("3"), item("2")])
  })
})

describe("a fresh first page", () => {
  const gap = (shown: ReadonlyArray<Item>, fresh: ReadonlyArray<Item>, hasMore = true): boolean =>
    hasGap(shown, { items: fresh, hasMore }, placeOf)

  it("leaves a gap when none of its items is shown, and the list goes on after it", () => {
    expect(gap(items("2", "1"), items("9", "8"))).toBe(true)
    expect(gap([], items("9", "8"))).toBe(true)
  })

  it("leaves none when it meets what is shown, or has the whole list", () => {
    expect(gap(items("2", "1"), items("3", "2"))).toBe(false)
    expect(gap(items("2", "1"), items("9", "8"), false)).toBe(false)
  })

  it("leaves a gap when it has only those of the shown ones that moved to the top", () => {
    expect(gap(items("2", "1"), [item("1", "9"), item("8")])).toBe(true)
    expect(gap(items("2", "1"), [item("1", "9"), item("2")])).toBe(false)
  })

  it("without an item leaves none: the filter found nothing among the newest", () => {
    expect(gap(items("2", "1"), [])).toBe(false)
  })
})
