/** `OutboundMail` that sends nothing: `OUTBOUND_URL=capture:` keeps mail in the development outbox. */
import { DevelopmentOutbox, Entropy, OutboundMail } from "@mailroom/engine"
import { Clock, Effect, Layer } from "effect"

/** A version 7 UUID (RFC 9562 §5.7), so that captured mail sorts by time. */
const uuid = (at: number, entropy: Uint8Array): string => {
  const bytes = Buffer.alloc(16)
  bytes.set(entropy.subarray(0, 10), 6)
  bytes.writeUIntBE(at, 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}

/** Accepts every recipient. */
export const layer: Layer.Layer<OutboundMail, never, DevelopmentOutbox | Entropy> = Layer.effect(
  OutboundMail,
  Effect.gen(function* () {
    const outbox = yield* DevelopmentOutbox
    const entropy = yield* Entropy
    return {
      send: Effect.fn("CaptureRelay.send")(function* (envelope, raw) {
        const at = yield* Clock.currentTimeMillis
        const id = uuid(at, yield* entropy.bytes(10))
        yield* outbox.add({ id, from: envelope.from, to: envelope.to, raw, at })
        return { answer: `250 2.0.0 captured as ${id}` }
      }),
    }
  }),
)
