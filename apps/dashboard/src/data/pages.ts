/** Lists that are loaded page by page, by cursor. */
import type { List, Page } from "@mailroom/client"
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks"
import { withNext } from "../rules/lists.js"

/** What becomes of the items. It may be asked twice: of the items that are shown, and of those that are being loaded. */
type Change<Item> = (items: ReadonlyArray<Item>) => ReadonlyArray<Item>

export interface Pages<Item> {
  /** undefined until the first page is there */
  readonly items: ReadonlyArray<Item> | undefined
  readonly hasMore: boolean
  readonly isLoading: boolean
  /** why the last page could not be loaded */
  readonly error: unknown
  /** loads the next page; does nothing while one is loading, and after a failure */
  readonly loadMore: () => void
  /** loads again as many items as are shown, which stay until then: the reader keeps the pages that were loaded */
  readonly reload: () => void
  /** the same, and waits until it is loaded or has failed */
  readonly refresh: () => Promise<void>
  /** changes the items that are shown, such as after an event; does nothing once another list is shown */
  readonly change: (change: Change<Item>) => void
}

interface State<Item> {
  readonly items: ReadonlyArray<Item> | undefined
  readonly next: Page<Item> | undefined
  readonly isLoading: boolean
  readonly error: unknown
}

/** Loads pages from the first one on until their items are enough, or the list ends. `last`: the last of these pages. */
export const pagesUntil = async <Item extends { readonly id: string }>(
  list: List<Item>,
  isEnough: (items: ReadonlyArray<Item>) => boolean,
): Promise<{ readonly items: ReadonlyArray<Item>; readonly last: Page<Item> }> => {
  let last: Page<Item> = await list
  let { items } = last
  while (last.hasMore && !isEnough(items)) {
    last = await last.nextPage()
    items = withNext(items, last.items)
  }
  return { items, last }
}

const empty = { items: undefined, next: undefined, isLoading: true, error: undefined }

/** Loads the list of a query. `key` names the query: another key begins another list. */
export const usePages = <Item extends { readonly id: string }>(
  key: string,
  list: (signal: AbortSignal) => List<Item>,
): Pages<Item> => {
  const [state, setState] = useState<State<Item>>(empty)
  const running = useRef(new AbortController())
  const latest = useRef(list)
  latest.current = list
  const shownKey = useRef(key)
  shownKey.current = key

  const shownCount = useRef(0)
  shownCount.current = state.items?.length ?? 0
  /** the page that was asked for last; a list may ask for more again before it is drawn with that page */
  const asked = useRef<Page<Item> | undefined>(undefined)
  /** made while the list is loading from its first page on, whose items may be from before them; null while it is not */
  const changes = useRef<Array<Change<Item>> | null>(null)

  /** `count`: how many items to load when there is no `next`; at least a page. */
  const load = useCallback((next: Page<Item> | undefined, count = 0) => {
    asked.current = next
    // One signal for all pages of a list: the client passes it from page to page.
    if (next === undefined) {
      running.current.abort()
      running.current = new AbortController()
      changes.current = []
    }
    const { signal } = running.current
    setState((before) => ({ ...before, isLoading: true, error: undefined }))
    const show = async () => {
      try {
        const list = next === undefined ? latest.current(signal) : next.nextPage()
        const { items: found, last } = await pagesUntil(list, ({ length }) => length >= count)
        if (signal.aborted) return
        const made = changes.current ?? []
        changes.current = null
        setState((before) => ({
          items:
            next === undefined
              ? made.reduce((items, by) => by(items), found)
              : withNext(before.items ?? [], found),
          next: last.hasMore ? last : undefined,
          isLoading: false,
          error: undefined,
        }))
      } catch (error) {
        if (signal.aborted) return
        changes.current = null
        setState((before) => ({ ...before, isLoading: false, error }))
      }
    }
    return show()
  }, [])

  useLayoutEffect(() => {
    setState(empty)
    void load(undefined)
    return () => running.current.abort()
  }, [key, load])

  const { items, next, isLoading, error } = state
  const loadMore = useCallback(() => {
    // A list whose end is in sight asks again at once: after a failure the reader decides.
    if (next !== undefined && !isLoading && error === undefined && next !== asked.current) void load(next)
  }, [next, isLoading, error, load])
  const refresh = useCallback(() => load(undefined, shownCount.current), [load])
  const change = useCallback(
    (by: Change<Item>) => {
      if (shownKey.current !== key) return
      changes.current?.push(by)
      setState((before) => (before.items === undefined ? before : { ...before, items: by(before.items) }))
    },
    [key],
  )
  return { items, hasMore: next !== undefined, isLoading, error, loadMore, reload: refresh, refresh, change }
}
