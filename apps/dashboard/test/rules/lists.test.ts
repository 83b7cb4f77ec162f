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

  it("has the items of a fresh first page, each in its place, and older ones after them", () => {
    const shown = items("6", "4", "2", "1")
    const fresh = [item("8"), item("6"), item("5"), { ...item("4"), text: "changed" }]
    expect(withFresh(shown, { items: fresh, hasMore: true }, placeOf)).toEqual([...fresh, ...items("2", "1")])
  })

  it("does not put items in front that a filter lets through now, and drops those that left it", () => {
    const shown = items("6", "5", "4", "3")
    expect(ids(withFresh(shown, { items: items("7", "5", "2"), hasMore: true }, placeOf))).toBe("7 5 2")
    expect(ids(withFresh(shown, { items: items("7"), hasMore: false }, placeOf))).toBe("7")
  })

  it("stays as it is when a filter found nothing among the newest", () => {
    expect(ids(withFresh(items("2", "1"), { items: [], hasMore: true }, placeOf))).toBe("2 1")
    expect(ids(withFresh(items("2", "1"), { items: [], hasMore: false }, placeOf))).toBe("")
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
