/** The messages of a view, page by page; new ones appear as they happen. */
import type { List, MessageListItem, SearchHighlights, Thread } from "@mailroom/client"
import { useEffect } from "preact/hooks"
import { mailroom } from "../../data/client.js"
import { useLive, useLiveRefresh } from "../../data/live.js"
import { type Pages, usePages } from "../../data/pages.js"
import { filterOf, type MailView } from "../../rules/folders.js"
import { withFresh, withMoved } from "../../rules/newest.js"
import { addNewest } from "./addNewest.js"

/** A message in the list; a search says where it matches. */
export interface Row extends MessageListItem {
  readonly highlights?: SearchHighlights | undefined
}

/** As many as the first view shows: more would come later on a slow network. */
const PAGE = 25
/** Messages that are looked at after an event; more when these do not reach those that are shown. */
const FRESH = 20

const messages = (view: MailView, limit: number, signal?: AbortSignal): List<Row> => {
  const { mailboxId, search } = view
  const options = signal === undefined ? {} : { signal }
  if (search !== "")
    return mailboxId === null
      ? mailroom.messages.searchAll({ q: search, sort: "date", bodies: "preview", limit }, options)
      : mailroom.messages.search(mailboxId, { q: search, sort: "date", bodies: "preview", limit }, options)
  const query = { ...filterOf(view), bodies: "preview", limit } as const
  return mailboxId === null
    ? mailroom.messages.listAll(query, options)
    : mailroom.messages.list(mailboxId, query, options)
}

/** Loads on while pages are empty: a filtered list may have such pages before its end. */
const useFilled = <Item>({ items, hasMore, isLoading, loadMore }: Pages<Item>): void => {
  const isEmpty = items !== undefined && items.length === 0
  useEffect(() => {
    if (isEmpty && hasMore && !isLoading) loadMore()
  }, [isEmpty, hasMore, isLoading, loadMore])
}

const keyOf = ({ folder, mailboxId, label, search }: MailView): string =>
  JSON.stringify([folder, mailboxId, label, search])

/** Events that change what a list of messages shows. */
const CHANGES = [
  "message.received",
  "message.sent",
  "message.delivered",
  "message.bounced",
  "message.complaint",
  "message.quarantined",
] as const

export const useMessages = (view: MailView): Pages<Row> => {
  const pages = usePages(keyOf(view), (signal) => messages(view, PAGE, signal))
  const { change } = pages
  useFilled(pages)
  useLive(["message.quarantined"], (event) => {
    if (event.event === "message.quarantined" && view.folder !== "quarantine")
      change((items) => items.filter(({ id }) => id !== event.data.message_id))
  })
  useLiveRefresh(CHANGES, () =>
    addNewest(pages, {
      list: messages(view, FRESH),
      placeOf: ({ createdAt }) => createdAt,
      joined: withFresh,
    }),
  )
  return pages
}

const threads = (mailboxId: string | null, limit: number, signal?: AbortSignal): List<Thread> =>
  mailroom.threads.listAll(
    { limit, ...(mailboxId !== null && { mailboxId }) },
    signal === undefined ? {} : { signal },
  )

export const useThreads = (mailboxId: string | null): Pages<Thread> => {
  const pages = usePages(mailboxId ?? "", (signal) => threads(mailboxId, PAGE, signal))
  useFilled(pages)
  useLiveRefresh([...CHANGES, "thread.taken_over", "thread.released"], () =>
    addNewest(pages, {
      list: threads(mailboxId, FRESH),
      placeOf: ({ lastMessageAt }) => lastMessageAt,
      // A thread with a new message moves to the top.
      joined: (shown, { items }) => withMoved(shown, items),
    }),
  )
  return pages
}
