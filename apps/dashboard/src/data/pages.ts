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
  /** loads the next page; does nothing while one is loading */
  readonly loadMore: () => void
  /** begins again with the first page; the items stay until it is there */
  readonly reload: () => void
  /** changes the items that are shown, such as after an event; does nothing once another list is shown */
  readonly change: (change: Change<Item>) => void
}

interface State<Item> {
  readonly items: ReadonlyArray<Item> | undefined
  readonly next: Page<Item> | undefined
  readonly isLoading: boolean
  readonly error: unknown
}

const empty = { items: undefined, next: undefined, isLoading: true, error: undefined }

/** Loads the list of a query. `key` names the query: another key begins another list. */
export const usePages = <Item extends { readonly id: string }>(
  key: string,
  list: (signal: AbortSignal) => List<Item>,
): Pages<Item> => {
  const [state, setState] = useState<State<Item>>(empty)
  const running = useRef<AbortController | null>(null)
  const latest = useRef(list)
  latest.current = list
  const shownKey = useRef(key)
  shownKey.current = key

  /** the page that was asked for last; a list may ask for more again before it is drawn with that page */
  const asked = useRef<Page<Item> | undefined>(undefined)
  /** made while the first page is loading, whose items may be from before them; null while it is not loading */
  const changes = useRef<Array<Change<Item>> | null>(null)

  const load = useCallback((next: Page<Item> | undefined) => {
    asked.current = next
    // One signal for all pages of a list: the client passes it from page to page.
    if (next === undefined) {
      running.current?.abort()
      changes.current = []
    }
    const controller = next === undefined ? new AbortController() : (running.current ?? new AbortController())
    running.current = controller
    setState((before) => ({ ...before, isLoading: true, error: undefined }))
    const show = async () => {
      try {
        const found = await (next === undefined ? latest.current(controller.signal) : next.nextPage())
        if (controller.signal.aborted) return
        const made = changes.current ?? []
        changes.current = null
        setState((before) => ({
          items:
            next === undefined
              ? made.reduce((items, by) => by(items), found.items)
              : withNext(before.items ?? [], found.items),
          next: found.hasMore ? found : undefined,
          isLoading: false,
          error: undefined,
        }))
      } catch (error) {
        if (controller.signal.aborted) return
        asked.current = undefined
        changes.current = null
        setState((before) => ({ ...before, isLoading: false, error }))
      }
    }
    void show()
  }, [])

  useLayoutEffect(() => {
    setState(empty)
    load(undefined)
    return () => running.current?.abort()
  }, [key, load])

  const { items, next, isLoading, error } = state
  const loadMore = useCallback(() => {
    if (next !== undefined && !isLoading && next !== asked.current) load(next)
  }, [next, isLoading, load])
  const reload = useCallback(() => load(undefined), [load])
  const change = useCallback(
    (by: Change<Item>) => {
      if (shownKey.current !== key) return
      changes.current?.push(by)
      setState((before) => (before.items === undefined ? before : { ...before, items: by(before.items) }))
    },
    [key],
  )
  return { items, hasMore: next !== undefined, isLoading, error, loadMore, reload, change }
}
