/** An event as it leaves the service: the stored envelope, with download links that are fresh (spec, Attachment). */
import { EventEnvelope, type EventRecord } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import type { DownloadLinks } from "../attachments/DownloadLinks.js"

const decode = Schema.decode(Schema.parseJson(EventEnvelope))

/** The envelope's JSON text. Only an event that carries attachments has to be read and written again. */
export const presentEvent = (
  links: typeof DownloadLinks.Service,
  event: Pick<EventRecord, "kind" | "envelope">,
): Effect.Effect<string> => {
  if (event.kind !== "message.received" || !event.envelope.includes('"attachments":[{'))
    return Effect.succeed(event.envelope)
  return Effect.gen(function* () {
    const envelope = yield* decode(event.envelope)
    if (envelope.event !== "message.received" || "over_limit" in envelope.data) return event.envelope
    const attachments = yield* Effect.forEach(envelope.data.attachments, (attachment) =>
      Effect.map(links.link(attachment.id), (download_url) => ({ ...attachment, download_url })),
    )
    return JSON.stringify({ ...envelope, data: { ...envelope.data, attachments } })
  }).pipe(Effect.orDie)
}
