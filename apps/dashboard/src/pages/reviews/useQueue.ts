/** The queue of mails that wait for a decision, with what was shown of them, and what happened to them elsewhere. */
import {
  type Draft,
  type DraftChanges,
  type DraftListItem,
  MailroomError,
  type MailroomEvent,
} from "@mailroom/client"
import { useRef, useState } from "preact/hooks"
import { countReviews } from "../../app/reviewCount.js"
import { mailroom } from "../../data/client.js"
import { useLive } from "../../data/live.js"
import { usePages } from "../../data/pages.js"
import { account } from "../../data/session.js"
import {
  approvalOutcome,
  conflictOf,
  fateOf,
  fateOfEvent,
  type MailPart,
  type Outcome,
  type Seen,
  seenMore,
  type Settled,
} from "../../rules/reviews.js"

/** Events that take a mail out of the queue, or put it there. */
const EVENTS = [
  "draft.review_requested",
  "draft.approved",
  "draft.rejected",
  "draft.expired",
  "draft.withdrawn",
  // A draft whose mailbox holds its mail no longer is sent without a decision. Its message has the id of the draft.
  "message.sent",
] as const

/** The draft that an event is about; null for none, and for a test event. */
const draftIdOf = ({ event, data }: MailroomEvent): string | null => {
  if ("test" in data && data.test === true) return null
  if ("draft_id" in data) return data.draft_id
  return event === "message.sent" && "message_id" in data ? data.message_id : null
}

/** Cards that are loaded at once. */
const PAGE = 10

export interface Queue {
  readonly items: ReadonlyArray<DraftListItem> | undefined
  readonly error: unknown
  readonly hasMore: boolean
  readonly loadMore: () => void
  readonly reload: () => void
  /** what happened elsewhere, by id */
  readonly fates: ReadonlyMap<string, Settled>
  /** mails that were changed since they were shown */
  readonly changed: ReadonlySet<string>
  readonly seen: ReadonlyMap<string, Seen>
  readonly noteSeen: (draft: DraftListItem, more: MailPart | "end") => void
  /** Loads the whole of a mail that the list has cut. */
  readonly loadWhole: (draft: DraftListItem) => Promise<void>
  /**
   * Approves exactly what was shown, with the changes of the reviewer. Null when somebody was faster: then the queue shows what
   * happened.
   */
  readonly approve: (draft: DraftListItem, edits: DraftChanges | null) => Promise<Outcome | null>
  /** False when somebody was faster. */
  readonly reject: (draft: DraftListItem, reason: string) => Promise<boolean>
  /** Takes a mail that was decided elsewhere out of the queue. */
  readonly dismiss: (id: string) => void
}

const current = async ({ mailboxId, id }: Pick<Draft, "mailboxId" | "id">): Promise<Draft | null> => {
  try {
    return await mailroom.drafts.get(mailboxId, id)
  } catch (error) {
    if (error instanceof MailroomError && error.status === 404) return null
    throw error
  }
}

const withEntry = <Value>(
  map: ReadonlyMap<string, Value>,
  id: string,
  value: Value,
): ReadonlyMap<string, Value> => new Map([...map, [id, value]])

const without = <Value>(map: ReadonlyMap<string, Value>, id: string): ReadonlyMap<string, Value> =>
  new Map([...map].filter(([key]) => key !== id))

export const useQueue = (): Queue => {
  const { items, error, hasMore, loadMore, reload, change } = usePages("reviews", (signal) =>
    mailroom.reviews.list({ limit: PAGE }, { signal }),
  )
  const [fates, setFates] = useState<ReadonlyMap<string, Settled>>(new Map())
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  const [seen, setSeen] = useState<ReadonlyMap<string, Seen>>(new Map())
  // Events about a decision that is made here come while it is made.
  const deciding = useRef(new Set<string>())

  /** Puts a mail into its place, or first. */
  const show = (draft: DraftListItem) => {
    setFates((before) => without(before, draft.id))
    change((before) =>
      before.some(({ id }) => id === draft.id)
        ? before.map((one) => (one.id === draft.id ? draft : one))
        : [draft, ...before],
    )
  }
  const remove = (id: string) => {
    change((before) => before.filter((one) => one.id !== id))
    setFates((before) => without(before, id))
    setSeen((before) => without(before, id))
  }

  /** Shows what has become of a mail. */
  const refresh = async (draft: Pick<Draft, "mailboxId" | "id" | "digest">) => {
    const now = await current(draft)
    const fate = fateOf(now)
    if (fate !== null) setFates((before) => withEntry(before, draft.id, { fate, by: null }))
    else if (now !== null) {
      if (now.digest !== draft.digest) setChanged((before) => new Set([...before, draft.id]))
      show(now)
    }
  }

  const onEvent = (event: MailroomEvent) => {
    const id = draftIdOf(event)
    const { mailbox_id: mailboxId } = event.data
    if (id === null || deciding.current.has(id)) return
    const known = items?.find((one) => one.id === id)
    if (event.event === "draft.review_requested")
      void refresh(known ?? { id, mailboxId, digest: event.data.digest }).catch(() => undefined)
    else {
      const fate = fateOfEvent(event)
      if (known === undefined || fate === undefined) return
      // An approval is followed by `message.sent`, which says less.
      const isLess = event.event === "message.sent"
      const by =
        event.event === "draft.approved" || event.event === "draft.rejected"
          ? (event.data.decided_by ?? null)
          : null
      setFates((before) => (isLess && before.has(id) ? before : withEntry(before, id, { fate, by })))
    }
  }
  useLive(EVENTS, onEvent)

  /** Runs a decision. The result is null when somebody was faster. */
  const decide = async <T>(draft: DraftListItem, act: () => Promise<T>): Promise<T | null> => {
    deciding.current.add(draft.id)
    try {
      const result = await act()
      remove(draft.id)
      void countReviews()
      return result
    } catch (failure) {
      if (conflictOf(failure) === null) throw failure
      await refresh(draft)
      return null
    } finally {
      deciding.current.delete(draft.id)
    }
  }

  return {
    items,
    error,
    hasMore,
    loadMore,
    reload,
    fates,
    changed,
    seen,
    noteSeen: ({ id, digest }, more) =>
      setSeen((before) => withEntry(before, id, seenMore(before.get(id), digest, more))),
    loadWhole: async (draft) => {
      const whole = await current(draft)
      if (whole !== null && whole.status === "PENDING_REVIEW") show(whole)
    },
    approve: (draft, edits) =>
      decide(draft, async () => {
        const body = { digest: draft.digest, ...(edits !== null && { edits }) }
        const result = await mailroom.reviews.approve(draft.id, body)
        return approvalOutcome(result, account.value?.sendingPaused === true, new Date())
      }),
    reject: async (draft, reason) => {
      const rejected = await decide(draft, () =>
        mailroom.reviews.reject(draft.id, reason.trim() === "" ? {} : { reason: reason.trim() }),
      )
      return rejected !== null
    },
    dismiss: remove,
  }
}
