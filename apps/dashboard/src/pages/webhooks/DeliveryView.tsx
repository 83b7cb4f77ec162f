/** A delivery: its attempts, the receiver's answer, and what was posted. */
import type { Delivery } from "@mailroom/client"
import type { JSX } from "preact"
import { Button } from "../../components/Button.js"
import { CodeBlock } from "../../components/Copy.js"
import { Dialog, DialogActions } from "../../components/Dialog.js"
import { Loaded } from "../../components/Loaded.js"
import { Badge, Skeleton } from "../../components/Notice.js"
import { Facts } from "../../components/Page.js"
import { Time } from "../../components/Values.js"
import { mailroom } from "../../data/client.js"
import { usePolling } from "../../data/polling.js"
import { loader, useResource } from "../../data/resource.js"
import { answerText, deliveryState } from "../../rules/webhooks.js"

/** Milliseconds between two looks at a delivery that is not done. */
const LOOK_EVERY = 3_000

const delivery = loader((key, signal) => {
  const [webhookId = "", deliveryId = ""] = key.split(" ")
  return mailroom.webhooks.delivery(webhookId, deliveryId, { signal })
})

interface DeliveryViewProps {
  readonly webhookId: string
  readonly deliveryId: string
  /** undefined when the webhook is not active */
  readonly onRedeliver: ((delivery: Delivery) => void) | undefined
  readonly isRedelivering: boolean
  readonly onClose: () => void
}

export const DeliveryView = (props: DeliveryViewProps): JSX.Element => {
  const { webhookId, deliveryId, onRedeliver, isRedelivering, onClose } = props
  const found = useResource(delivery, `${webhookId} ${deliveryId}`)
  const isPending = found.data?.status === "PENDING" || isRedelivering
  usePolling(isPending && !found.isLoading, LOOK_EVERY, found.reload)
  return (
    <Dialog title="Delivery" onClose={onClose} wide>
      <Loaded resource={found} skeleton={<Skeleton lines={8} tall />}>
        {(shown) => {
          const { tone, label } = deliveryState(shown)
          return (
            <div class="stack">
              <Facts
                facts={[
                  { name: "Event", value: <code>{shown.event}</code> },
                  { name: "State", value: <Badge tone={tone}>{label}</Badge> },
                  { name: "Answer", value: answerText(shown) },
                  { name: "Attempts", value: shown.attempts },
                  ...(shown.nextRetryAt === null
                    ? []
                    : [{ name: "Next attempt", value: <Time at={shown.nextRetryAt} /> }]),
                  { name: "Happened", value: <Time at={shown.createdAt} /> },
                  { name: "Id", value: <code>{shown.id}</code> },
                ]}
              />
              {shown.payload === null ? (
                <p class="faint">What was posted is kept for 30 days, and is gone.</p>
              ) : (
                <CodeBlock
                  label="What is posted"
                  codes={[{ name: "Payload", text: JSON.stringify(shown.payload, null, 2) }]}
                />
              )}
              <DialogActions>
                <Button onClick={onClose}>Close</Button>
                <Button
                  kind="primary"
                  busy={isRedelivering}
                  disabled={onRedeliver === undefined}
                  onClick={() => onRedeliver?.(shown)}
                >
                  Deliver again
                </Button>
              </DialogActions>
            </div>
          )
        }}
      </Loaded>
    </Dialog>
  )
}
