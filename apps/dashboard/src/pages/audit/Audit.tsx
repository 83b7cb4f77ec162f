/** The audit trail: who changed what in the account, newest first. */
import type { AuditActorKind, AuditEntry } from "@mailroom/client"
import type { JSX } from "preact"
import { Failure } from "../../components/Loaded.js"
import { Badge, Empty, Skeleton } from "../../components/Notice.js"
import { Card, PageHead } from "../../components/Page.js"
import { Time } from "../../components/Values.js"
import { VirtualList } from "../../components/VirtualList.js"
import { mailroom } from "../../data/client.js"
import { usePages } from "../../data/pages.js"

/** Height of a row in pixels. */
const ROW = 56

const actors: Readonly<Record<AuditActorKind, string>> = {
  key: "An API key",
  session: "You",
  embedded: "A program",
  admin: "The operator",
  system: "The service",
}

const detailText = (detail: unknown): string =>
  typeof detail === "object" && detail !== null
    ? Object.entries(detail)
        .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
        .join(", ")
    : ""

const Entry = ({ entry }: { entry: AuditEntry }): JSX.Element => (
  <div class="list-row">
    <div class="list-row-main">
      <strong>{entry.action}</strong>
      <span class="faint clip">{detailText(entry.detail)}</span>
    </div>
    <Badge>{actors[entry.actor.kind]}</Badge>
    <span class="faint">
      <Time at={entry.createdAt} />
    </span>
  </div>
)

export const Page = (): JSX.Element => {
  const { items, error, loadMore, reload } = usePages("audit", (signal) =>
    mailroom.audit.list({ limit: 100 }, { signal }),
  )
  return (
    <>
      <PageHead title="Audit">Who changed what in this account: keys, mailboxes, policies, plans.</PageHead>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      <Card flush>
        {items === undefined && error === undefined && <Skeleton lines={8} tall />}
        {items?.length === 0 && (
          <Empty icon="list" title="Nothing has changed yet">
            <p>Creating a key, a mailbox or a policy leaves a line here.</p>
          </Empty>
        )}
        {items !== undefined && items.length > 0 && (
          <VirtualList
            label="Changes"
            items={items}
            keyOf={({ id }) => id}
            estimate={ROW}
            onNearEnd={loadMore}
          >
            {(entry) => <Entry entry={entry} />}
          </VirtualList>
        )}
      </Card>
    </>
  )
}
