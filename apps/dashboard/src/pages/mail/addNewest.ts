/** New items of a list, while its reader may be further down. */
import type { List } from "@mailroom/client"
import { type Pages, pagesUntil } from "../../data/pages.js"
import { type FreshPage, hasGap } from "../../rules/newest.js"

/** The most items that are loaded: with more new ones the list begins again. */
const NEWEST_MAX = 1_000

interface Newest<Item> {
  /** the list from its newest item on */
  readonly list: List<Item>
  /** the place of an item in the order of the list, which is the order of these texts from the last to the first */
  readonly placeOf: (item: Item) => string
  /** the items that are shown with the newest ones */
  readonly joined: (
    items: ReadonlyArray<Item>,
    newest: FreshPage<Item>,
    placeOf: (item: Item) => string,
  ) => ReadonlyArray<Item>
}

/**
 * Puts new items above those that are shown, which the reader keeps. Loads pages until they meet the shown items, so that none is
 * missing between them.
 */
export const addNewest = async <Item extends { readonly id: string }>(
  { items: shown, change, reload }: Pick<Pages<Item>, "items" | "change" | "reload">,
  { list, placeOf, joined }: Newest<Item>,
): Promise<void> => {
  const isApart = (items: ReadonlyArray<Item>, hasMore: boolean) => hasGap(shown, { items, hasMore }, placeOf)
  // One page is enough where nobody reads anything yet.
  const most = shown?.length === 0 ? 0 : NEWEST_MAX
  const { items, last } = await pagesUntil(list, (found) => found.length >= most || !isApart(found, true))
  if (isApart(items, last.hasMore)) reload()
  else change((before) => joined(before, { items, hasMore: last.hasMore }, placeOf))
}
