/** Lists whose first page is loaded afresh, to show what is new: what is shown then, and whether items may be missing. */

interface Identified {
  readonly id: string
}

/** A first page that was just loaded. */
export interface FreshPage<Item> {
  readonly items: ReadonlyArray<Item>
  /** whether the list goes on after it */
  readonly hasMore: boolean
}

/**
 * The items with those of a fresh first page, newest first by `placeOf`. The page is all of the list down to its last item: what is
 * missing there has left the list, such as a message that was read has left the unread ones.
 */
export const withFresh = <Item extends Identified>(
  items: ReadonlyArray<Item>,
  { items: fresh, hasMore }: FreshPage<Item>,
  placeOf: (item: Item) => string,
): ReadonlyArray<Item> => {
  if (!hasMore) return fresh
  const last = fresh.at(-1)
  if (last === undefined) return items
  const known = new Set(fresh.map(({ id }) => id))
  return [...fresh, ...items.filter((item) => !known.has(item.id) && placeOf(item) <= placeOf(last))]
}

/** The items with those of a fresh first page, for lists in which an item that changed moves to the top. */
export const withMoved = <Item extends Identified>(
  items: ReadonlyArray<Item>,
  fresh: ReadonlyArray<Item>,
): ReadonlyArray<Item> => {
  const moved = new Set(fresh.map(({ id }) => id))
  return [...fresh, ...items.filter(({ id }) => !moved.has(id))]
}

/**
 * Whether items may be missing between a fresh first page and the items that are shown. They meet where an item of both has the
 * same place in the order, `placeOf`: one that moved to the top may have passed missing ones. A filtered page without items says
 * nothing new. `items` is undefined while the first page is loading.
 */
export const hasGap = <Item extends Identified>(
  items: ReadonlyArray<Item> | undefined,
  { items: fresh, hasMore }: FreshPage<Item>,
  placeOf: (item: Item) => string,
): boolean => {
  if (items === undefined || fresh.length === 0 || !hasMore) return false
  const places = new Map(items.map((item) => [item.id, placeOf(item)]))
  return !fresh.some((item) => places.get(item.id) === placeOf(item))
}
