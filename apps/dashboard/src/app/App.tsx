/** The page at the present address, inside its frame. */
import { Component, type ComponentChildren, type ComponentType, type JSX } from "preact"
import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import { Empty, Skeleton } from "../components/Notice.js"
import { Failure, Lost } from "../components/Loaded.js"
import { PageHead } from "../components/Page.js"
import { Toasts } from "../components/Toasts.js"
import { loadSession, session } from "../data/session.js"
import { AccountFrame } from "./AccountFrame.js"
import { OperatorFrame } from "./OperatorFrame.js"
import { PublicFrame } from "./PublicFrame.js"
import { navigate, place } from "./router.js"
import { findRoute, type Match, type PageProps, type Route } from "./routes.js"

/** Pages that have been loaded, which then appear at once. */
const pages = new Map<Route, ComponentType<PageProps>>()

const NotThere = (): JSX.Element => (
  <>
    <PageHead title="This page does not exist" />
    <Empty icon="search" title="Nothing is here">
      <p>The address may be mistyped, or what it showed was deleted.</p>
      <p>
        <a href="/dashboard">Go to the dashboard</a>
      </p>
    </Empty>
  </>
)

/** A fault of a page, with a way on. The rest of the frame goes on working. */
class Guard extends Component<{ readonly children: ComponentChildren }, { readonly error: unknown }> {
  override state = { error: undefined }
  static override getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error }
  }
  override render(): ComponentChildren {
    if (this.state.error === undefined) return this.props.children
    return <Failure error={this.state.error} onRetry={() => globalThis.location.reload()} />
  }
}

const PageOf = ({ match }: { match: Match }): JSX.Element => {
  const { route, params } = match
  const [, setLoaded] = useState(0)
  const [isLost, setLost] = useState(false)
  const Found = pages.get(route)
  // Before the paint, as all loading: what was asked for with the document is there by then, or soon after.
  useLayoutEffect(() => {
    if (pages.has(route)) return
    const open = async () => {
      const { Page } = await route.load()
      pages.set(route, Page)
      setLoaded((count) => count + 1)
    }
    open().catch(() => setLost(true))
  }, [route])
  const { visit } = place.value
  useLayoutEffect(() => {
    // The first page keeps the focus where the browser has it.
    if (Found !== undefined && visit > 0)
      document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true })
  }, [Found, visit])
  if (isLost) return <Lost what="This page" />
  return Found === undefined ? <Skeleton lines={6} tall /> : <Found params={params} />
}

/** A page of the account: for strangers, the way to sign in. */
const Private = ({ children }: { children: ComponentChildren }): JSX.Element => {
  const known = session.value
  useEffect(() => {
    if (known.state !== "out") return
    const { pathname, search } = globalThis.location
    navigate(`/signin?next=${encodeURIComponent(`${pathname}${search}`)}`, { replace: true })
  }, [known.state])
  // Nothing that is open or chosen in the pages of an account stays for another one.
  if (known.state === "in") return <AccountFrame key={known.account.id}>{children}</AccountFrame>
  if (known.state === "failed")
    return (
      <PublicFrame>
        <Failure error={known.error} onRetry={() => void loadSession()} />
      </PublicFrame>
    )
  return <div class="waiting" role="status" aria-label="Loading" />
}

const Framed = ({ match }: { match: Match | null }): JSX.Element => {
  const inside = (
    <Guard key={place.value.path}>{match === null ? <NotThere /> : <PageOf match={match} />}</Guard>
  )
  switch (match?.route.area) {
    case "account":
      return <Private>{inside}</Private>
    case "operator":
      return <OperatorFrame>{inside}</OperatorFrame>
    default:
      return <PublicFrame>{inside}</PublicFrame>
  }
}

export const App = (): JSX.Element => (
  <>
    <Framed match={findRoute(place.value.path)} />
    <Toasts />
  </>
)
