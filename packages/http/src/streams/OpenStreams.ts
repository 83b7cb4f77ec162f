/**
 * The open event streams of this process. It does for all of them at once: heartbeats, lifetimes, the end when the server
 * stops, and the bound on bytes that slow readers have not taken (docs/decisions/0041).
 */
import { STREAM_HEARTBEAT, STREAM_LIFETIME } from "@mailroom/domain"
import { acquireLight, shownFromStart } from "@mailroom/engine"
import { Context, Effect, Layer, Metric, type Scope } from "effect"
import { Draining } from "../Draining.js"
import { Connection, type Output } from "./Connection.js"
import { makeDeadlines } from "./deadlines.js"

/**
 * Bytes that all streams together may have written and not had read. Beyond it, the stream that has waited longest for its
 * reader is dropped. Five readers of the largest event fit.
 */
const UNREAD_MAX_BYTES = 48 * 1024 * 1024

const dropped = shownFromStart(
  Metric.counter("mailroom_event_streams_dropped_total", {
    description: "event streams ended because their reader took nothing",
    incremental: true,
  }),
)

export class OpenStreams extends Context.Tag("@mailroom/http/OpenStreams")<
  OpenStreams,
  {
    /** A stream whose bytes go to `output`, until the scope closes. */
    readonly open: (output: Output) => Effect.Effect<Connection, never, Scope.Scope>
  }
>() {
  static readonly layer: Layer.Layer<OpenStreams, never, Draining> = Layer.scoped(
    OpenStreams,
    Effect.gen(function* () {
      const heartbeats = yield* makeDeadlines<Connection>(STREAM_HEARTBEAT, (connection) =>
        connection.heartbeat(),
      )
      const lifetimes = yield* makeDeadlines<Connection>(STREAM_LIFETIME, (connection) =>
        connection.reconnect(),
      )
      const connections = new Set<Connection>()
      let isDraining = false
      yield* (yield* Draining).listen(() => {
        isDraining = true
        for (const connection of connections) connection.reconnect()
      })

      /** Bytes that the reader of a connection has not taken; the connection that waits longest is first. */
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

      const handlers = { onUnread, onDrop: () => dropped.unsafeUpdate(1, []) }

      const add = (connection: Connection) =>
        Effect.gen(function* () {
          connections.add(connection)
          yield* heartbeats.add(connection)
          yield* lifetimes.add(connection)
          if (isDraining) connection.reconnect()
          return connection
        })

      const remove = (connection: Connection) =>
        Effect.sync(() => {
          heartbeats.delete(connection)
          lifetimes.delete(connection)
          connections.delete(connection)
          onUnread(connection, 0)
        })

      return {
        open: (output) =>
          acquireLight(
            Effect.suspend(() => add(new Connection(output, handlers))),
            remove,
          ),
      }
    }),
  )
}
