/** An event stream as the body of a response, on any server. */
import { Chunk, Effect, Option, Stream } from "effect"
import type { Connection, EventSource } from "./Connection.js"

/** Asks for the next step when the last bytes were taken. */
export const streamBody = (connection: Connection, source: EventSource): Stream.Stream<Uint8Array> => {
  const woken = Effect.unsafeMakeLatch(false)
  connection.begin(source, { wake: () => woken.unsafeOpen() })
  const next: Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<never>> = Effect.suspend(() => {
    // Closed before the connection is asked: what happens meanwhile opens it.
    woken.unsafeClose()
    return Effect.flatMap(connection.next, (step) => {
      if (step === "end") return Effect.fail(Option.none())
      return step === "wait" ? Effect.zipRight(woken.await, next) : Effect.succeed(Chunk.of(step))
    })
  })
  return Stream.repeatEffectChunkOption(next)
}
