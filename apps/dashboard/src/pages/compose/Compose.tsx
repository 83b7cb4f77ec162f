/** Writing a mail: new, an answer, a forward, or a draft. */
import type { Mailbox } from "@mailroom/client"
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { navigate, place } from "../../app/router.js"
import { LinkButton } from "../../components/Button.js"
import { Failure } from "../../components/Loaded.js"
import { Empty, Skeleton } from "../../components/Notice.js"
import { PageHead } from "../../components/Page.js"
import { mailroom } from "../../data/client.js"
import { begin, type Wanted, wantedOf } from "./beginning.js"
import { Composition } from "./Composition.js"
import { Writer } from "./Writer.js"

interface Ready {
  readonly composition: Composition
  readonly mailboxes: ReadonlyArray<Mailbox>
}

const load = async (wanted: Wanted, signal: AbortSignal): Promise<Ready | null> => {
  const { items } = await mailroom.mailboxes.list({ signal })
  if (items.length === 0) return null
  return { composition: new Composition(await begin(wanted, items, signal)), mailboxes: items }
}

const titleOf = ({ reply, forward, thread, draft }: Wanted): string => {
  if (draft !== null) return "Draft"
  if (reply !== null || thread !== null) return "Answer"
  return forward === null ? "New mail" : "Forward"
}

type State =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "nowhere" }
  | { readonly kind: "ready"; readonly ready: Ready }

const Start = ({ query }: { query: URLSearchParams }): JSX.Element => {
  // The address changes once the mail is a draft; what is written here stays.
  const [wanted] = useState(() => wantedOf(query))
  const [attempt, setAttempt] = useState(0)
  const [state, setState] = useState<State>({ kind: "loading" })
  useEffect(() => {
    const controller = new AbortController()
    setState({ kind: "loading" })
    const start = async () => {
      try {
        const ready = await load(wanted, controller.signal)
        const draft = ready?.composition.draft.value
        // A change here would end its review.
        if (draft?.status === "PENDING_REVIEW")
          navigate(`/dashboard/reviews?draft=${draft.id}`, { replace: true })
        else setState(ready === null ? { kind: "nowhere" } : { kind: "ready", ready })
      } catch (error) {
        if (!controller.signal.aborted) setState({ kind: "failed", error })
      }
    }
    void start()
    return () => controller.abort()
  }, [wanted, attempt])
  return (
    <div class="writing-page">
      <PageHead title={titleOf(wanted)} />
      {state.kind === "loading" && (
        <div class="card" role="status">
          <span class="visually-hidden">Loading</span>
          <Skeleton lines={9} tall />
        </div>
      )}
      {state.kind === "failed" && (
        <Failure error={state.error} onRetry={() => setAttempt((count) => count + 1)} />
      )}
      {state.kind === "nowhere" && (
        <Empty
          icon="archive"
          title="No mailbox to write from"
          actions={<LinkButton href="/dashboard/mailboxes">Create a mailbox</LinkButton>}
        >
          <p>A mail leaves from one of your mailboxes. Create the first one.</p>
        </Empty>
      )}
      {state.kind === "ready" && <Writer {...state.ready} />}
    </div>
  )
}

export const Page = (): JSX.Element => {
  const { query, visit } = place.value
  return <Start key={visit} query={query} />
}
