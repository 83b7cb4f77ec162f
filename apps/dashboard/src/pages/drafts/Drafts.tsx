/** Drafts and scheduled mails, and those that could not be sent. */
import type { DraftListItem, DraftStatus } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { navigate, place, setQuery } from "../../app/router.js"
import { LinkButton } from "../../components/Button.js"
import { Failure } from "../../components/Loaded.js"
import { Empty, Skeleton } from "../../components/Notice.js"
import { Card, PageHead } from "../../components/Page.js"
import { Tabs } from "../../components/Tabs.js"
import { VirtualList } from "../../components/VirtualList.js"
import { mailroom } from "../../data/client.js"
import { useLiveRefresh } from "../../data/live.js"
import { usePages } from "../../data/pages.js"
import { DraftDialog, type Question } from "./DraftDialog.js"
import { DraftRow } from "./DraftRow.js"

/** Height of a row in pixels. */
const ROW = 65

interface Filter {
  readonly label: string
  readonly status: DraftStatus | null
  readonly empty: { readonly title: string; readonly text: string }
}

const filters: Readonly<Record<string, Filter>> = {
  all: {
    label: "All",
    status: null,
    empty: { title: "No drafts", text: "What you or your agents write and do not send yet is kept here." },
  },
  scheduled: {
    label: "Scheduled",
    status: "SCHEDULED",
    empty: {
      title: "Nothing is scheduled",
      text: "Write a mail and choose “Send later”: it waits here for its time.",
    },
  },
  failed: {
    label: "Not sent",
    status: "FAILED",
    empty: {
      title: "Nothing failed",
      text: "Mails that were refused when they were due appear here with the reason.",
    },
  },
  rejected: {
    label: "Rejected",
    status: "REJECTED",
    empty: {
      title: "Nothing is rejected",
      text: "Mails that you rejected, or did not approve in time, appear here.",
    },
  },
}

const openDraft = ({ id, mailboxId, status }: DraftListItem): void =>
  navigate(
    status === "PENDING_REVIEW"
      ? `/dashboard/reviews?draft=${id}`
      : `/dashboard/compose?draft=${id}&mailbox=${mailboxId}`,
  )

const List = ({ filter: { status, empty } }: { filter: Filter }): JSX.Element => {
  const [question, setQuestion] = useState<Question | null>(null)
  const { items, error, loadMore, reload, refresh } = usePages(status ?? "all", (signal) =>
    mailroom.drafts.listAll({ bodies: "preview", limit: 50, ...(status !== null && { status }) }, { signal }),
  )
  useLiveRefresh(
    [
      "draft.review_requested",
      "draft.approved",
      "draft.rejected",
      "draft.expired",
      "draft.withdrawn",
      "draft.failed",
      "message.sent",
    ],
    refresh,
  )
  return (
    <>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      <Card flush>
        {items === undefined && error === undefined && <Skeleton lines={6} tall />}
        {items?.length === 0 && (
          <Empty
            icon="pen"
            title={empty.title}
            actions={
              <LinkButton kind="primary" href="/dashboard/compose">
                Write a mail
              </LinkButton>
            }
          >
            <p>{empty.text}</p>
          </Empty>
        )}
        {items !== undefined && items.length > 0 && (
          <VirtualList
            label="Drafts"
            items={items}
            keyOf={({ id }) => id}
            estimate={ROW}
            onNearEnd={loadMore}
            onOpen={openDraft}
          >
            {(draft) => <DraftRow draft={draft} onAsk={setQuestion} onChanged={reload} />}
          </VirtualList>
        )}
      </Card>
      {question !== null && (
        <DraftDialog question={question} onDone={reload} onClose={() => setQuestion(null)} />
      )}
    </>
  )
}

export const Page = (): JSX.Element => {
  const chosen = place.value.query.get("show") ?? "all"
  return (
    <>
      <PageHead
        title="Drafts"
        actions={
          <LinkButton kind="primary" icon="pen" href="/dashboard/compose">
            Write a mail
          </LinkButton>
        }
      >
        Mails that are not sent: written, waiting for their time, or refused.
      </PageHead>
      <Tabs
        label="Which drafts"
        chosen={chosen}
        onChoose={(name) => setQuery({ show: name === "all" ? null : name })}
        tabs={Object.entries(filters).map(([name, filter]) => ({
          name,
          label: filter.label,
          content: () => <List key={name} filter={filter} />,
        }))}
      />
    </>
  )
}
