/** The audit trail: who changed what in the account, newest first. */
import type { AuditEntry } from "@mailroom/client"
import type { JSX } from "preact"
import { useEffect, useMemo } from "preact/hooks"
import { place, setQuery } from "../../app/router.js"
import { Failure } from "../../components/Loaded.js"
import { Badge, Empty, Skeleton } from "../../components/Notice.js"
import { Card, PageHead } from "../../components/Page.js"
import { Time } from "../../components/Values.js"
import { VirtualList } from "../../components/VirtualList.js"
import { mailroom } from "../../data/client.js"
import { usePages } from "../../data/pages.js"
import { loader, useResource } from "../../data/resource.js"
import {
  actionText,
  actorText,
  type AuditTopic,
  auditTopics,
  detailText,
  isOfTopic,
} from "../../rules/audit.js"

/** Height of a row in pixels. */
const ROW = 56

const topics: ReadonlyArray<AuditTopic> = ["all", "keys", "sends", "mailboxes", "channels", "account"]

const keyNames = loader(async (_, signal) => {
  const { items } = await mailroom.keys.list({ signal })
  return new Map(items.map(({ id, name }) => [id, name]))
})

const Entry = ({ entry, actor }: { entry: AuditEntry; actor: string }): JSX.Element => (
  <div class="list-row">
    <div class="list-row-main">
      <strong>{actionText(entry.action)}</strong>
      <span class="faint clip">{detailText(entry)}</span>
    </div>
    <Badge>{actor}</Badge>
    <span class="faint">
      <Time at={entry.createdAt} />
    </span>
  </div>
)

export const Page = (): JSX.Element => {
  const asked = place.value.query.get("topic")
  const topic = topics.find((one) => one === asked) ?? "all"
  const names = useResource(keyNames).data
  const { items, error, hasMore, loadMore, reload } = usePages("audit", (signal) =>
    mailroom.audit.list({ limit: 100 }, { signal }),
  )
  const shown = useMemo(() => items?.filter(({ action }) => isOfTopic(topic, action)), [items, topic])
  const isSearching = shown?.length === 0 && hasMore
  useEffect(() => {
    if (isSearching) loadMore()
  }, [isSearching, loadMore])
  return (
    <>
      <PageHead
        title="Audit"
        actions={
          <select
            class="input compact"
            aria-label="Show"
            value={topic}
            onChange={({ currentTarget: { value } }) => setQuery({ topic: value === "all" ? null : value })}
          >
            {topics.map((one) => (
              <option key={one} value={one}>
                {auditTopics[one].label}
              </option>
            ))}
          </select>
        }
      >
        Who changed what in this account: keys, mailboxes, policies, plans. Entries are kept for 400 days, and
        nobody can change them.
      </PageHead>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      <Card flush>
        {(shown === undefined || isSearching) && error === undefined && <Skeleton lines={8} tall />}
        {shown?.length === 0 && !hasMore && (
          <Empty icon="list" title="Nothing of this kind has changed yet">
            <p>Creating a key, a mailbox or a policy leaves a line here.</p>
          </Empty>
        )}
        {shown !== undefined && shown.length > 0 && (
          <VirtualList
            label="Changes"
            items={shown}
            keyOf={({ id }) => id}
            estimate={ROW}
            onNearEnd={loadMore}
          >
            {(entry) => <Entry entry={entry} actor={actorText(entry.actor, (id) => names?.get(id))} />}
          </VirtualList>
        )}
      </Card>
    </>
  )
}
