/** Lists that are shown page by page while new items come. */

interface Identified {
  readonly id: string
}

/** The items with those of the next page. One that was shown before its page, such as after an event, keeps its place. */
export const withNext = <Item extends Identified>(
  items: ReadonlyArray<Item>,
  next: ReadonlyArray<Item>,
): ReadonlyArray<Item> => {
  const known = new Set(items.map(({ id }) => id))
  return [...items, ...next.filter(({ id }) => !known.has(id))]
}
