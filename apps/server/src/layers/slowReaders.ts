/** Ends connections whose clients read an answer too slowly: they hold memory, files and places (docs/decisions/0045). */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

export interface ReadingRate {
  /** how often connections are looked at, milliseconds */
  readonly every: number
  /** milliseconds in which `bytes` have to be read while some of the answer waits in this process */
  readonly within: number
  readonly bytes: number
}

/** 8 kB/s, measured over 30 s. */
export const LEAST_RATE: ReadingRate = { every: 5_000, within: 30_000, bytes: 240_000 }

interface Progress {
  readonly at: number
  readonly sent: number
}

/** Bytes that the kernel has taken from this connection. */
const sentOver = (socket: Socket): number => socket.bytesWritten - socket.writableLength

/** An event stream says little: it only has to be read at all. */
const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader("content-type")).startsWith("text/event-stream")

/**
 * Looks at what is in `running`, for ever; the timer keeps no process alive. An answer that waits for this process, not for
 * its client, has all the time it needs.
 */
export const endSlowReaders = (running: ReadonlySet<ServerResponse>, rate: ReadingRate): void => {
  const seen = new WeakMap<ServerResponse, Progress>()

  const look = (response: ServerResponse, now: number): void => {
    const { socket } = response
    if (socket === null || socket.writableLength === 0) {
      seen.delete(response)
      return
    }
    const sent = sentOver(socket)
    const before = seen.get(response)
    if (before === undefined) {
      seen.set(response, { at: now, sent })
      return
    }
    if (now - before.at < rate.within) return
    const least = isEventStream(response) ? 1 : rate.bytes
    if (sent - before.sent < least) socket.destroy()
    else seen.set(response, { at: now, sent })
  }

  setInterval(() => {
    const now = performance.now()
    for (const response of running) look(response, now)
  }, rate.every).unref()
}
