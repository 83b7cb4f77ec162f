/** What a webhook was sent, newest first. */
import type { Delivery, DeliveryStatus, Webhook } from "@mailroom/client"
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Failure } from "../../components/Loaded.js"
import { Badge, Empty, Skeleton } from "../../components/Notice.js"
import { Card } from "../../components/Page.js"
import { say, sayError } from "../../components/Toasts.js"
import { Time } from "../../components/Values.js"
import { VirtualList } from "../../components/VirtualList.js"
import { useAction } from "../../data/action.js"
import { mailroom } from "../../data/client.js"
import { useLiveRefresh } from "../../data/live.js"
import { usePages } from "../../data/pages.js"
import { usePolling } from "../../data/polling.js"
import { countText } from "../../rules/texts.js"
import { answerText, deliveryState, eventKinds, mayRedeliver } from "../../rules/webhooks.js"
import { DeliveryView } from "./DeliveryView.js"

const ROW = 58
/** Milliseconds between two looks while a delivery is not done. */
const LOOK_EVERY = 3_000

const filters: ReadonlyArray<{ readonly status: DeliveryStatus | ""; readonly label: string }> = [
  { status: "", label: "All" },
  { status: "FAILED", label: "Failed" },
  { status: "PENDING", label: "Waiting" },
  { status: "DELIVERED", label: "Delivered" },
]

const Row = ({ delivery }: { delivery: Delivery }): JSX.Element => {
  const { tone, label } = deliveryState(delivery)
  return (
    <div class="list-row pressable">
      <div class="list-row-main">
        <strong class="clip">{delivery.event}</strong>
        <span class="faint clip">{answerText(delivery)}</span>
      </div>
      <span class="faint wide-only">{countText(delivery.attempts, "attempt")}</span>
      <span class="faint wide-only">
        <Time at={delivery.createdAt} />
      </span>
      <Badge tone={tone}>{label}</Badge>
    </div>
  )
}

interface DeliveriesProps {
  readonly webhook: Webhook
  /** how many test events the page has sent: each is a new delivery */
  readonly tests: number
}

export const Deliveries = ({ webhook, tests }: DeliveriesProps): JSX.Element => {
  const [status, setStatus] = useState<DeliveryStatus | "">("")
  const [openId, setOpenId] = useState<string | null>(null)
  const query = { limit: 100, ...(status !== "" && { status }) }
  const { items, isLoading, error, loadMore, reload, refresh } = usePages(
    `${webhook.id} ${status}`,
    (signal) => mailroom.webhooks.deliveries(webhook.id, query, { signal }),
  )
  useEffect(() => {
    if (tests > 0) reload()
  }, [tests, reload])
  useLiveRefresh(eventKinds, refresh)
  const isPending = items?.some((one) => one.status === "PENDING") === true
  usePolling(isPending && !isLoading, LOOK_EVERY, reload)
  const redeliver = useAction(async ({ id }: Delivery) => {
    try {
      await mailroom.webhooks.redeliver(webhook.id, id)
      say("It is delivered again, under the same id.")
      reload()
    } catch (error) {
      sayError(error)
    }
  })
  return (
    <Card
      title="Deliveries"
      flush
      actions={
        <select
          class="input compact"
          aria-label="Show"
          value={status}
          onChange={({ currentTarget: { value } }) =>
            setStatus(filters.find((one) => one.status === value)?.status ?? "")
          }
        >
          {filters.map((one) => (
            <option key={one.status} value={one.status}>
              {one.label}
            </option>
          ))}
        </select>
      }
    >
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {items === undefined && error === undefined && <Skeleton lines={5} tall />}
      {items?.length === 0 && (
        <Empty icon="send" title={status === "" ? "Nothing was delivered yet" : "No such delivery"}>
          <p>{status === "" ? "Send a test event to see one." : "Deliveries are kept for 30 days."}</p>
        </Empty>
      )}
      {items !== undefined && items.length > 0 && (
        <VirtualList
          label="Deliveries"
          items={items}
          keyOf={({ id }) => id}
          estimate={ROW}
          onOpen={({ id }) => setOpenId(id)}
          onNearEnd={loadMore}
        >
          {(delivery) => <Row delivery={delivery} />}
        </VirtualList>
      )}
      {openId !== null && (
        <DeliveryView
          webhookId={webhook.id}
          deliveryId={openId}
          onRedeliver={mayRedeliver(webhook) ? redeliver.run : undefined}
          isRedelivering={redeliver.isRunning}
          onClose={() => setOpenId(null)}
        />
      )}
    </Card>
  )
}
