/**
 * The event streams that are open in this process. What all of them need is done once: heartbeats, lifetimes, the end
 * when the server stops, and the bound on bytes that slow readers have not taken (docs/decisions/0041).
 */
import { STREAM_HEARTBEAT, STREAM_LIFETIME } from "@mailroom/domain"
import { Context, Effect, Layer, Metric, Scope } from "effect"
import { Draining } from "../Draining.js"
import { Connection } from "./Connection.js"
import { makeDeadlines } from "./deadlines.js"

/**
 * Bytes that were handed over to sockets and not taken, over all streams. Beyond, the stream that has waited longest for
 * its reader is dropped. Five readers of the largest event fit.
 */
const UNREAD_MAX_BYTES = 48 * 1024 * 1024

const dropped = Metric.counter("mailroom_event_streams_dropped_total", {
  description: "event streams ended because their reader took nothing",
  incremental: true,
})

export class OpenStreams extends Context.Tag("@mailroom/http/OpenStreams")<
  OpenStreams,
  {
    /** A stream, until the scope closes. `destroy` ends a response although its reader takes nothing. */
    readonly open: (destroy: () => void) => Effect.Effect<Connection, never, Scope.Scope>
  }
>() {
  static readonly layer: Layer.Layer<OpenStreams, never, Draining> = Layer.scoped(
    OpenStreams,
    Effect.gen(function* () {
      const heartbeats = yield* makeDeadlines(STREAM_HEARTBEAT)
      const lifetimes = yield* makeDeadlines(STREAM_LIFETIME)
      const connections = new Set<Connection>()
      let isDraining = false
      yield* (yield* Draining).listen(() => {
        isDraining = true
        for (const connection of connections) connection.reconnect()
      })

      /** Those whose reader has not taken everything, the longest waiting first. */
      const unread = new Map<Connection, number>()
      let unreadBytes = 0
      const onUnread = (connection: Connection, bytes: number): void => {
        unreadBytes += bytes - (unread.get(connection) ?? 0)
        unread.delete(connection)
        if (bytes > 0) unread.set(connection, bytes)
        for (const slowest of unread.keys()) {
          if (unreadBytes <= UNREAD_MAX_BYTES) break
          onUnread(slowest, 0)
          slowest.close()
        }
      }

      return {
        open: (destroy) =>
          Effect.gen(function* () {
            const connection = new Connection({
              onUnread,
              destroy: () => {
                dropped.unsafeUpdate(1, [])
                destroy()
              },
            })
            connections.add(connection)
            const stopHeartbeats = yield* heartbeats.every(() => connection.beat())
            const stopLifetime = yield* lifetimes.every(() => connection.reconnect())
            const close = Effect.sync(() => {
              stopHeartbeats()
              stopLifetime()
              connections.delete(connection)
              onUnread(connection, 0)
            })
            yield* Scope.addFinalizer(yield* Effect.scope, close)
            if (isDraining) connection.reconnect()
            return connection
          }).pipe(Effect.uninterruptible),
      }
    }),
  )
}
