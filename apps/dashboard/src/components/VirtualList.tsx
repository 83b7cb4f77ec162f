/**
 * A long list of which only the rows in sight are in the document. Rows may differ in height; 100,000 of them scroll. One row
 * takes the focus by Tab, the arrow keys, Home, End, Page Up and Page Down move it, Enter opens it.
 */
import type { ComponentChildren, JSX } from "preact"
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { Heights, type View } from "../rules/heights.js"

interface VirtualListProps<Item> {
  /** what the list has, for a screen reader */
  readonly label: string
  readonly items: ReadonlyArray<Item>
  readonly keyOf: (item: Item) => string
  /** height of a row in pixels, before it is measured */
  readonly estimate: number
  readonly children: (item: Item, index: number) => ComponentChildren
  readonly onOpen?: (item: Item) => void
  /** called when the end of the list comes near */
  readonly onNearEnd?: () => void
}

/** Rows beyond each edge that are in the document, so that scrolling does not show gaps. */
const BEYOND = 6
/** Rows before the end at which more is loaded. */
const NEAR_END = 20

/** The rows that are in the document. */
const rowsIn = (heights: Heights, { top, height }: View): readonly [first: number, last: number] => [
  Math.max(0, heights.rowAt(top) - BEYOND),
  Math.min(heights.count - 1, heights.rowAt(top + height) + BEYOND),
]

const haveSameRows = (heights: Heights, one: View, other: View): boolean =>
  String(rowsIn(heights, one)) === String(rowsIn(heights, other))

/** What a row shows; the same while its item is. */
interface Drawn<Item> {
  readonly item: Item
  readonly index: number
  readonly draw: (item: Item, index: number) => ComponentChildren
  readonly content: ComponentChildren
}

export const VirtualList = <Item,>(props: VirtualListProps<Item>): JSX.Element => {
  const { label, items, keyOf, estimate, children, onOpen, onNearEnd } = props
  const list = useRef<HTMLDivElement>(null)
  const kept = useRef(new Heights([], estimate))
  const view = useRef<View>({ top: 0, height: 800 })
  // By key, because new rows come above it. Where it is gone, the row of its place.
  const [active, setActive] = useState({ key: "", row: 0 })
  const [, setDrawn] = useState(0)
  const drawAgain = () => setDrawn((count) => count + 1)
  const wantsFocus = useRef(false)

  const heights = useMemo(() => {
    const now = new Heights(items.map(keyOf), estimate, kept.current)
    view.current = { ...view.current, top: now.topAfter(kept.current, view.current) }
    kept.current = now
    return now
  }, [items, estimate])

  const [first, last] = rowsIn(heights, view.current)
  /** Rows that stay in the document while the list scrolls are not drawn again. */
  const drawn = useRef<ReadonlyMap<string, Drawn<Item>>>(new Map())
  const shown = new Map<string, Drawn<Item>>()
  for (const [at, item] of items.slice(first, last + 1).entries()) {
    const index = first + at
    const before = drawn.current.get(keyOf(item))
    const isSame = before?.item === item && before.index === index && before.draw === children
    shown.set(keyOf(item), isSame ? before : { item, index, draw: children, content: children(item, index) })
  }
  drawn.current = shown
  const current = heights.rowOf(active.key) ?? Math.min(active.row, items.length - 1)

  const look = () => {
    const { current: element } = list
    if (element === null) return
    const now = { top: element.scrollTop, height: element.clientHeight }
    if (!haveSameRows(kept.current, view.current, now)) drawAgain()
    view.current = now
  }
  useLayoutEffect(() => {
    list.current?.scrollTo(0, view.current.top)
    look()
  }, [heights])

  useLayoutEffect(() => {
    const element = list.current
    if (element === null) return undefined
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener("scroll", look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener("scroll", look)
    }
  }, [])

  useLayoutEffect(() => {
    let changed = false
    for (const row of list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])
      changed = heights.measure(Number(row.dataset["row"]), row.offsetHeight) || changed
    if (changed) drawAgain()
    if (!wantsFocus.current) return
    const row = list.current?.querySelector<HTMLElement>(`[data-row="${current}"]`)
    if (row === null || row === undefined) return
    wantsFocus.current = false
    row.focus({ preventScroll: true })
  })

  useEffect(() => {
    if (last >= items.length - NEAR_END) onNearEnd?.()
  }, [last, items.length, onNearEnd])

  const moveTo = (row: number) => {
    const element = list.current
    const target = Math.max(0, Math.min(row, items.length - 1))
    if (element === null) return
    const top = heights.offset(target)
    const bottom = top + heights.height(target)
    if (top < element.scrollTop) element.scrollTop = top
    else if (bottom > element.scrollTop + element.clientHeight)
      element.scrollTop = bottom - element.clientHeight
    wantsFocus.current = true
    setActive({ key: heights.keys[target] ?? "", row: target })
    look()
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const rowsInView = Math.max(1, Math.floor(view.current.height / estimate) - 1)
    const to = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + rowsInView,
      PageUp: current - rowsInView,
      Home: 0,
      End: items.length - 1,
    }[event.key]
    const isRow = event.target instanceof HTMLElement && event.target.dataset["row"] !== undefined
    if (to !== undefined && isRow) {
      event.preventDefault()
      moveTo(to)
    } else if (event.key === "Enter" && isRow) {
      const item = items[current]
      if (item !== undefined) onOpen?.(item)
    }
  }

  return (
    <div class="virtual-list" ref={list} role="list" aria-label={label} onKeyDown={onKeyDown}>
      <div class="virtual-rows" style={{ height: `${heights.total}px` }}>
        {[...shown].map(([key, { item, index, content }]) => (
          <div
            key={key}
            class="virtual-row"
            role="listitem"
            data-row={index}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            tabIndex={index === current ? 0 : -1}
            style={{ transform: `translateY(${heights.offset(index)}px)` }}
            onFocus={() => setActive({ key, row: index })}
            onClick={() => onOpen?.(item)}
          >
            {content}
          </div>
        ))}
      </div>
    </div>
  )
}
