/** What readers of an event get. */
import { EventEnvelope, type EventRecord } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import type { DownloadLinks } from "../attachments/DownloadLinks.js"

const decodeEnvelope = Schema.decode(Schema.parseJson(EventEnvelope))

/**
 * The JSON text of an event as streams, webhooks and the log show it: the stored envelope with fresh download links. Only
 * `message.received` has attachments; an event without them is returned as it is stored, because decoding takes longer.
 */
export const presentEvent = (
  links: typeof DownloadLinks.Service,
  event: Pick<EventRecord, "kind" | "envelope">,
): Effect.Effect<string> => {
  if (event.kind !== "message.received" || !event.envelope.includes('"attachments":[{'))
    return Effect.succeed(event.envelope)
  return Effect.gen(function* () {
    const envelope = yield* decodeEnvelope(event.envelope)
    if (envelope.event !== "message.received" || "over_limit" in envelope.data) return event.envelope
    const attachments = yield* Effect.forEach(envelope.data.attachments, (attachment) =>
      Effect.map(links.link(attachment.id), (download_url) => ({ ...attachment, download_url })),
    )
    return JSON.stringify({ ...envelope, data: { ...envelope.data, attachments } })
  }).pipe(Effect.orDie)
}
