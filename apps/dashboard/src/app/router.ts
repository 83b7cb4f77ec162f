/** Where the reader is, and how to go elsewhere without loading a document. */
import { signal } from "@preact/signals"
import { isPagePath } from "../rules/paths.js"

export interface Place {
  readonly path: string
  readonly query: URLSearchParams
  readonly hash: string
  /** differs for each visit, also of the same address */
  readonly visit: number
}

let visits = 0

const here = (): Place => ({
  path: globalThis.location.pathname,
  query: new URLSearchParams(globalThis.location.search),
  hash: globalThis.location.hash,
  visit: visits++,
})

export const place = signal(here())

/** Asked before the reader leaves the page inside of the dashboard; false keeps them there. */
type LeaveGuard = (to: string) => boolean

let leaveGuard: LeaveGuard | null = null

/** Sets what is asked before the reader leaves, such as while changes are not saved; null ends it. */
export const setLeaveGuard = (guard: LeaveGuard | null): void => {
  leaveGuard = guard
}

const mayLeave = (to: URL): boolean =>
  leaveGuard === null || leaveGuard(`${to.pathname}${to.search}${to.hash}`)

interface NavigateOptions {
  /** the address takes the place of the present one in the history */
  readonly replace?: boolean
}

/** Goes to an address of this origin. */
export const navigate = (to: string, { replace = false }: NavigateOptions = {}): void => {
  const url = new URL(to, globalThis.location.href)
  if (!mayLeave(url)) return
  if (url.origin !== globalThis.location.origin || !isPagePath(url.pathname)) {
    globalThis.location.assign(url)
    return
  }
  if (replace) history.replaceState(null, "", url)
  else history.pushState(null, "", url)
  place.value = here()
  if (!replace) globalThis.scrollTo(0, 0)
}

/** Changes the query of the present address, such as a filter; null removes a part. The page stays. */
export const setQuery = (change: Readonly<Record<string, string | null>>): void => {
  const url = new URL(globalThis.location.href)
  for (const [name, value] of Object.entries(change))
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  history.replaceState(null, "", url)
  place.value = { ...here(), visit: place.value.visit }
}

const isPlainClick = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey

/** Follows links to pages of the dashboard without loading a document. */
const onClick = (event: MouseEvent): void => {
  if (event.defaultPrevented || !isPlainClick(event) || !(event.target instanceof Element)) return
  const link = event.target.closest("a[href]")
  if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.hasAttribute("download")) return
  if (link.origin !== globalThis.location.origin || !isPagePath(link.pathname)) return
  const isAnchor =
    link.pathname === globalThis.location.pathname && link.search === globalThis.location.search
  if (isAnchor && link.hash !== "") return
  event.preventDefault()
  navigate(link.href)
}

/** The reader went back or forward: the browser is there already, so the address of the page is put in front again. */
const onPop = (): void => {
  const { path, query, hash, visit } = place.value
  const next = here()
  // Another part of the page, such as by "Skip to the content": what is open in it stays.
  if (next.path === path && `${next.query}` === `${query}`) place.value = { ...next, visit }
  else if (mayLeave(new URL(globalThis.location.href))) place.value = next
  else history.pushState(null, "", `${path}${query.size === 0 ? "" : `?${query}`}${hash}`)
}

/** Called once. */
export const startRouter = (): void => {
  document.addEventListener("click", onClick)
  globalThis.addEventListener("popstate", onPop)
}
