/** Events in the OpenAPI document. */
import { EventKind, envelopeName } from "@mailroom/domain"

/** A reference to the schema of a kind's envelope. */
export const envelopeReference = (kind: EventKind) => ({
  $ref: `#/components/schemas/${envelopeName(kind)}`,
})

/** The `data` of a stream frame: an envelope of any kind. */
export const eventFrames = {
  "text/event-stream": { schema: { oneOf: EventKind.literals.map(envelopeReference) } },
}
