/** Closes connections whose clients read an answer too slowly, because they hold memory and open files (docs/decisions/0045). */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

export interface ReadingRate {
  /** milliseconds in which a client has to read `bytes`, while part of the answer waits in this process */
  readonly within: number
  readonly bytes: number
}

/** 8 kB/s, measured over 30 s. */
export const LEAST_RATE: ReadingRate = { within: 30_000, bytes: 240_000 }

/** milliseconds */
const CHECK_EVERY = 5_000

interface Progress {
  readonly at: number
  readonly sent: number
}

/** Bytes of this connection that the kernel has taken. */
const sentOver = (socket: Socket): number => socket.bytesWritten - socket.writableLength

/** Event streams are mostly idle and send pieces of up to 1 MB, so their clients only have to read something in two minutes. */
const EVENT_STREAM_RATE: ReadingRate = { within: 120_000, bytes: 1 }

const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader("content-type")).startsWith("text/event-stream")

/**
 * Checks the answers in `running` at the time `now`, in milliseconds, and closes the connections whose clients read less
 * than `rate` since an earlier check. An answer that waits for this process, and not for its client, is left alone.
 */
export const slowReaderCheck = (rate: ReadingRate) => {
  const seen = new WeakMap<ServerResponse, Progress>()

  const checkOne = (response: ServerResponse, now: number): void => {
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
    const { within, bytes } = isEventStream(response) ? EVENT_STREAM_RATE : rate
    if (now - before.at < within) return
    if (sent - before.sent < bytes) socket.destroy()
    else seen.set(response, { at: now, sent })
  }

  return (running: ReadonlySet<ServerResponse>, now: number): void => {
    for (const response of running) checkOne(response, now)
  }
}

/** Checks `running` every 5 s. The timer does not keep the process alive. */
export const endSlowReaders = (running: ReadonlySet<ServerResponse>): void => {
  const check = slowReaderCheck(LEAST_RATE)
  setInterval(() => check(running, performance.now()), CHECK_EVERY).unref()
}
