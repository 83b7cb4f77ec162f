/** An audit trail: that of the operator, or that of an account. */
import type { JSX } from "preact"
import { place, setQuery } from "../../app/router.js"
import { Button } from "../../components/Button.js"
import { Failure } from "../../components/Loaded.js"
import { Badge, Empty, Notice, Skeleton } from "../../components/Notice.js"
import { Card, PageHead } from "../../components/Page.js"
import { Time } from "../../components/Values.js"
import { VirtualList } from "../../components/VirtualList.js"
import { usePages } from "../../data/pages.js"
import { actionText, actorNames, detailText } from "../../rules/audit.js"
import { admin } from "./operatorApi.js"

const ROW = 56

export const Page = (): JSX.Element => {
  const accountId = place.value.query.get("account") ?? ""
  const { items, error, loadMore, reload } = usePages(`trail ${accountId}`, (signal) =>
    admin().audit({ limit: 100, ...(accountId !== "" && { accountId }) }, { signal }),
  )
  return (
    <>
      <PageHead title="Audit">
        {accountId === ""
          ? "What the operator did, and accounts that were deleted."
          : "The trail of one account."}
      </PageHead>
      {accountId !== "" && (
        <Notice
          kind="neutral"
          actions={
            <Button size="small" onClick={() => setQuery({ account: null })}>
              Show the operator's trail
            </Button>
          }
        >
          Account <code>{accountId}</code>
        </Notice>
      )}
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      <Card flush>
        {items === undefined && error === undefined && <Skeleton lines={8} tall />}
        {items?.length === 0 && (
          <Empty icon="list" title="Nothing yet">
            <p>
              Invitations and deleted accounts leave a line here. Suspensions are in the trail of their
              account.
            </p>
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
            {(entry) => (
              <div class="list-row">
                <div class="list-row-main">
                  <strong>{actionText(entry.action)}</strong>
                  <span class="faint clip">{detailText(entry)}</span>
                </div>
                <Badge>{entry.actor.kind === "session" ? "The owner" : actorNames[entry.actor.kind]}</Badge>
                <span class="faint">
                  <Time at={entry.createdAt} />
                </span>
              </div>
            )}
          </VirtualList>
        )}
      </Card>
    </>
  )
}
