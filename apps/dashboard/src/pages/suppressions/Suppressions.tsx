/** Addresses that the account does not write to, with why. */
import type { Suppression } from "@mailroom/client"
import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { place, setQuery } from "../../app/router.js"
import { useShortcuts } from "../../app/shortcuts.js"
import { Button } from "../../components/Button.js"
import { ConfirmDialog } from "../../components/Dialog.js"
import { Failure } from "../../components/Loaded.js"
import { Badge, Empty, Skeleton } from "../../components/Notice.js"
import { Card, PageHead } from "../../components/Page.js"
import { SearchBox } from "../../components/SearchBox.js"
import { say } from "../../components/Toasts.js"
import { Time } from "../../components/Values.js"
import { VirtualList } from "../../components/VirtualList.js"
import { mailroom } from "../../data/client.js"
import { useLiveRefresh } from "../../data/live.js"
import { addressIn, mailboxes } from "../../data/mailboxes.js"
import { usePages } from "../../data/pages.js"
import { useResource } from "../../data/resource.js"
import { reasonWords } from "../../rules/suppressions.js"
import { NewSuppression } from "./NewSuppression.js"

const ROW = 58

interface RowProps {
  readonly entry: Suppression
  readonly holdsFor: string | null
  readonly onRemove: () => void
}

const Row = ({ entry, holdsFor, onRemove }: RowProps): JSX.Element => {
  const { tone, label, text } = reasonWords(entry)
  return (
    <div class="list-row">
      <div class="list-row-main">
        <strong class="clip">{entry.email}</strong>
        <span class="faint clip">
          {holdsFor === null ? "" : `Only from ${holdsFor}. `}
          {text}
        </span>
      </div>
      <span class="wide-only">
        <Badge tone={tone}>{label}</Badge>
      </span>
      <span class="faint wide-only">
        <Time at={entry.createdAt} />
      </span>
      <Button size="small" label={`Remove ${entry.email}`} onClick={onRemove}>
        Remove
      </Button>
    </div>
  )
}

export const Page = (): JSX.Element => {
  const wanted = place.value.query.get("email") ?? ""
  const [isAdding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Suppression | null>(null)
  const addressOf = addressIn(useResource(mailboxes).data)
  const { items, error, loadMore, reload, refresh, change } = usePages(`suppressions ${wanted}`, (signal) =>
    mailroom.suppressions.list({ limit: 100, ...(wanted !== "" && { email: wanted }) }, { signal }),
  )
  useLiveRefresh(["message.bounced", "message.complaint"], refresh)
  useShortcuts([{ keys: "c", does: "Suppress an address", run: () => setAdding(true) }])
  return (
    <>
      <PageHead
        title="Suppressions"
        actions={
          <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
            Suppress an address
          </Button>
        }
      >
        Mail to these addresses is refused. Bounces, reports of spam and people who unsubscribe come here by
        themselves.
      </PageHead>
      <SearchBox
        label="Find an address"
        placeholder="name@example.com"
        value={wanted}
        onSearch={(email) => setQuery({ email: email === "" ? null : email })}
      />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      <Card flush>
        {items === undefined && error === undefined && <Skeleton lines={6} tall />}
        {items?.length === 0 &&
          (wanted === "" ? (
            <Empty icon="shield" title="No address is suppressed">
              <p>That is good: no mail bounced for good, and nobody complained.</p>
            </Empty>
          ) : (
            <Empty
              icon="search"
              title={`${wanted} is not suppressed`}
              actions={<Button onClick={() => setQuery({ email: null })}>Show all</Button>}
            >
              <p>Search for the whole address.</p>
            </Empty>
          ))}
        {items !== undefined && items.length > 0 && (
          <VirtualList
            label="Suppressed addresses"
            items={items}
            keyOf={({ id }) => id}
            estimate={ROW}
            onNearEnd={loadMore}
          >
            {(entry) => (
              <Row
                entry={entry}
                holdsFor={
                  entry.mailboxId === undefined ? null : (addressOf(entry.mailboxId) ?? "one mailbox")
                }
                onRemove={() => setRemoving(entry)}
              />
            )}
          </VirtualList>
        )}
      </Card>
      {isAdding && (
        <NewSuppression
          onClose={() => setAdding(false)}
          onAdded={(email) => {
            setAdding(false)
            say(`${email} is suppressed.`)
            reload()
          }}
        />
      )}
      {removing !== null && (
        <ConfirmDialog
          title={`Write to ${removing.email} again?`}
          action="Remove from the list"
          onClose={() => setRemoving(null)}
          onConfirm={async () => {
            await mailroom.suppressions.remove(removing.id)
            change((all) => all.filter(({ id }) => id !== removing.id))
            say(`${removing.email} can be written to.`)
          }}
        >
          <p>{reasonWords(removing).text}</p>
          <p>{reasonWords(removing).beforeRemoval}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
