/** The mail of all mailboxes, or of one: messages, threads, what is kept apart, and the search. */
import type { JSX } from "preact"
import { useCallback, useEffect } from "preact/hooks"
import { navigate, place } from "../../app/router.js"
import { useShortcuts } from "../../app/shortcuts.js"
import { LinkButton } from "../../components/Button.js"
import { Failure } from "../../components/Loaded.js"
import { Empty, Notice, Skeleton } from "../../components/Notice.js"
import { Card, PageHead } from "../../components/Page.js"
import { VirtualList } from "../../components/VirtualList.js"
import { mailroom } from "../../data/client.js"
import { useLiveRefresh } from "../../data/live.js"
import type { Pages } from "../../data/pages.js"
import { loader, useResource } from "../../data/resource.js"
import { messagePath, type MailView, viewOf } from "../../rules/folders.js"
import { countText } from "../../rules/texts.js"
import { mailboxes } from "../mailboxes/allMailboxes.js"
import { lastList } from "./lastList.js"
import { Folders, MailboxChoice, SearchField } from "./MailTools.js"
import { MessageRow, ThreadRow } from "./MessageRow.js"
import { useMessages, useThreads } from "./useMail.js"

/** Height of a row in pixels, on a desk and on a phone. */
const ROW = 45
const ROW_NARROW = 73

const isNarrow = globalThis.matchMedia("(max-width: 799px)")

const gated = loader(async (mailboxId, signal) => {
  const { body } =
    mailboxId === ""
      ? await mailroom.messages.listAll({ bodies: "preview", limit: 1 }, { signal })
      : await mailroom.messages.list(mailboxId, { bodies: "preview", limit: 1 }, { signal })
  return body.metadata.overLimitCount
})

/** Mail above the limit of the plan: kept, and hidden until it is unlocked. */
const Gated = ({ mailboxId }: { mailboxId: string | null }): JSX.Element | null => {
  const { data = 0, refresh } = useResource(gated, mailboxId ?? "")
  useLiveRefresh(["message.received"], refresh)
  if (data === 0) return null
  return (
    <Notice
      kind="warn"
      title={`${countText(data, "message waits", "messages wait")} to be unlocked`}
      actions={
        <LinkButton kind="primary" size="small" href="/dashboard/billing">
          Unlock
        </LinkButton>
      }
    >
      Your plan has received all the mail that it includes this month. What came after is kept for you.
    </Notice>
  )
}

const Nothing = ({ view }: { view: MailView }): JSX.Element => {
  if (view.search !== "")
    return (
      <Empty icon="search" title="Nothing found">
        <p>Try fewer words, or another spelling. The question mark beside the search shows what it knows.</p>
      </Empty>
    )
  switch (view.folder) {
    case "unread":
      return (
        <Empty icon="check" title="Everything is read">
          <p>New mail appears here by itself.</p>
        </Empty>
      )
    case "sent":
      return (
        <Empty
          icon="send"
          title="Nothing was sent yet"
          actions={<LinkButton href="/dashboard/compose">Write a mail</LinkButton>}
        >
          <p>What you and your agents send appears here.</p>
        </Empty>
      )
    case "quarantine":
      return (
        <Empty icon="shield" title="Nothing is kept apart">
          <p>Mail that a mailbox does not take waits here, hidden from your agents, until you release it.</p>
        </Empty>
      )
    default:
      return (
        <Empty
          icon="mail"
          title="No mail yet"
          actions={<LinkButton href="/dashboard/mailboxes">See the addresses</LinkButton>}
        >
          <p>Write to one of your mailboxes: the mail appears here by itself.</p>
        </Empty>
      )
  }
}

interface ListProps<Item> {
  readonly label: string
  readonly pages: Pages<Item>
  readonly pathOf: (item: Item) => string
  readonly view: MailView
  readonly row: (item: Item) => JSX.Element
}

const MailList = <Item extends { readonly id: string }>(props: ListProps<Item>): JSX.Element => {
  const { label, pages, pathOf, view, row } = props
  const { items, hasMore, error, loadMore, reload } = pages
  const open = useCallback((item: Item) => navigate(pathOf(item)), [pathOf])
  return (
    <>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      <Card flush>
        {(items === undefined || (items.length === 0 && hasMore)) && error === undefined && (
          <Skeleton lines={10} tall />
        )}
        {items?.length === 0 && !hasMore && <Nothing view={view} />}
        {items !== undefined && items.length > 0 && (
          <VirtualList
            label={label}
            items={items}
            keyOf={({ id }) => id}
            estimate={isNarrow.matches ? ROW_NARROW : ROW}
            onNearEnd={loadMore}
            onOpen={open}
          >
            {row}
          </VirtualList>
        )}
      </Card>
    </>
  )
}

const Messages = ({ view }: { view: MailView }): JSX.Element => (
  <MailList
    label="Messages"
    pages={useMessages(view)}
    pathOf={messagePath}
    view={view}
    row={(message) => <MessageRow message={message} />}
  />
)

interface ThreadsProps {
  readonly view: MailView
  /** addresses of the account */
  readonly own: ReadonlySet<string>
}

const Threads = ({ view, own }: ThreadsProps): JSX.Element => (
  <MailList
    label="Threads"
    pages={useThreads(view.mailboxId)}
    pathOf={({ id, mailboxId }) => `/dashboard/mail/threads/${id}?mailbox=${mailboxId}`}
    view={view}
    row={(thread) => <ThreadRow thread={thread} own={own} />}
  />
)

export const Page = (): JSX.Element => {
  const { path, query } = place.value
  const view = viewOf(query)
  useEffect(() => {
    lastList.value = query.size === 0 ? path : `${path}?${query.toString()}`
  }, [path, query])
  const list = useResource(mailboxes)
  const compose = `/dashboard/compose${view.mailboxId === null ? "" : `?mailbox=${view.mailboxId}`}`
  useShortcuts([{ keys: "c", does: "Write a mail", run: () => navigate(compose) }])
  return (
    <>
      <PageHead
        title="Mail"
        actions={
          <LinkButton kind="primary" icon="plus" href={compose}>
            Write a mail
          </LinkButton>
        }
      />
      <Gated mailboxId={view.mailboxId} />
      <div class="mail-tools">
        <MailboxChoice mailboxes={list.data ?? []} chosen={view.mailboxId} />
        <SearchField search={view.search} />
      </div>
      <Folders view={view} />
      {view.folder === "threads" && view.search === "" ? (
        <Threads view={view} own={new Set(list.data?.map(({ fullAddress }) => fullAddress.toLowerCase()))} />
      ) : (
        <Messages view={view} />
      )}
    </>
  )
}
