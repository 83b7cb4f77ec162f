/**
 * The card that the keys act on. It is always in sight, and keeps its place while others come and go, so that no key acts on a
 * mail that the reader does not look at.
 */
import type { DraftListItem } from "@mailroom/client"
import type { RefObject } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"

export interface CurrentCard {
  /** of the element around the cards, which have `data-draft` */
  readonly list: RefObject<HTMLDivElement | null>
  readonly id: string | null
  readonly set: (id: string) => void
  /** goes to the card that is so many places further */
  readonly move: (by: number) => void
  /** goes to the neighbour of a card that leaves the queue */
  readonly leave: (id: string) => void
}

const topOf = (card: HTMLElement | null | undefined): number | undefined => card?.getBoundingClientRect().top

/** Pixels of a card that must be in sight at the upper edge. */
const IN_SIGHT = 120

const isInSight = (card: HTMLElement): boolean => {
  const { top, bottom } = card.getBoundingClientRect()
  return bottom >= IN_SIGHT && top <= globalThis.innerHeight - IN_SIGHT
}

/** `wanted`: the id that the address names; null for the first. */
export const useCurrentCard = (
  items: ReadonlyArray<DraftListItem> | undefined,
  wanted: string | null,
): CurrentCard => {
  const list = useRef<HTMLDivElement>(null)
  const [id, setId] = useState(wanted)
  const wantsFocus = useRef(false)
  const cardOf = (one: string | null) =>
    one === null ? null : list.current?.querySelector<HTMLElement>(`[data-draft="${one}"]`)
  // Before what has changed is drawn.
  const topBefore = topOf(cardOf(id))
  useEffect(() => {
    // A mail that comes later is put first, and must not become the current one by that.
    const first = items?.[0]?.id
    if (first !== undefined) setId((now) => (items?.some((one) => one.id === now) === true ? now : first))
  }, [items])

  useLayoutEffect(() => {
    const top = topOf(cardOf(id))
    if (wantsFocus.current || topBefore === undefined || top === undefined) return
    if (Math.abs(top - topBefore) > 1) globalThis.scrollBy(0, top - topBefore)
  }, [items])

  useEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    const next = cardOf(id)
    const target = next ?? document.querySelector<HTMLElement>("h1")
    target?.focus({ preventScroll: true })
    next?.scrollIntoView({ block: "nearest" })
  }, [items])

  const isLoaded = items !== undefined
  useEffect(() => {
    if (isLoaded && wanted !== null) cardOf(wanted)?.scrollIntoView({ block: "start" })
  }, [isLoaded, wanted])

  useEffect(() => {
    const look = () => {
      const cards = [...(list.current?.querySelectorAll<HTMLElement>("[data-draft]") ?? [])]
      const now = cards.find((card) => card.dataset["draft"] === id)
      if (now === undefined || isInSight(now)) return
      const seen = cards.find(isInSight)?.dataset["draft"]
      if (seen !== undefined) setId(seen)
    }
    globalThis.addEventListener("scroll", look, { passive: true })
    return () => globalThis.removeEventListener("scroll", look)
  }, [id])

  return {
    list,
    id,
    set: setId,
    move: (by) => {
      const at = items?.findIndex((one) => one.id === id) ?? -1
      const next = items?.[Math.max(0, Math.min(at + by, items.length - 1))]
      if (next === undefined) return
      setId(next.id)
      const card = cardOf(next.id)
      card?.focus({ preventScroll: true })
      card?.scrollIntoView({ block: "start" })
    },
    leave: (left) => {
      const at = items?.findIndex((one) => one.id === left) ?? -1
      const next = items?.[at + 1] ?? items?.[at - 1]
      if (next !== undefined) setId(next.id)
      wantsFocus.current = true
    },
  }
}
