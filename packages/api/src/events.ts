/** Events in the OpenAPI document. */
import type { EventKind } from "@mailroom/domain"

/** The schema of each kind of event. */
export const eventNames: { readonly [K in EventKind]: string } = {
  "message.received": "MessageReceivedEvent",
  "message.sent": "MessageSentEvent",
  "message.delivered": "MessageDeliveredEvent",
  "message.bounced": "MessageBouncedEvent",
  "message.complaint": "MessageComplaintEvent",
}

export const eventSchema = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The content of `data` in a stream frame. */
export const eventFrames = {
  "text/event-stream": { schema: { oneOf: Object.values(eventNames).map(eventSchema) } },
}
