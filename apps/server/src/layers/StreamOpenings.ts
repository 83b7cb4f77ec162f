/** Opens event streams a few at a time: thousands of clients reconnect at once after a restart (docs/decisions/0052). */
import { respondOverloaded } from "@mailroom/http"
import type { ServerResponse } from "node:http"

/**
 * Requests for event streams that run at the same time, from their start until the head of the answer. An opening
 * allocates 0.7 MB. Eight of them end before the garbage collector promotes their objects to the old generation.
 */
const OPENING_MAX = 8

/** Seconds until a refused client may try again. */
const RETRY_AFTER = 5

export class StreamOpenings {
  private readonly opening = new Set<ServerResponse>()
  /** The waiting requests, oldest first: their responses and what starts them. A waiting request has no fiber yet. */
  private readonly waiting = new Map<ServerResponse, () => void>()

  /** Calls `start` now, or once earlier requests are answered. */
  add(response: ServerResponse, start: () => void): void {
    this.waiting.set(response, start)
    this.startSome()
  }

  /**
   * To be called when the head of an answer is written. After a 503 all waiting requests get a 503 as well: without the
   * storage each opening takes seconds to fail, and the last of the waiting clients would learn of it after minutes.
   */
  answered(response: ServerResponse, status: number): void {
    if (!this.opening.delete(response)) return
    if (status === 503) {
      const refused = [...this.waiting.keys()]
      this.waiting.clear()
      for (const waiting of refused) respondOverloaded(waiting, RETRY_AFTER)
    }
    this.startSome()
  }

  /** To be called when a response is closed, answered or not. */
  closed(response: ServerResponse): void {
    this.waiting.delete(response)
    if (this.opening.delete(response)) this.startSome()
  }

  private startSome(): void {
    for (const [response, start] of this.waiting) {
      if (this.opening.size >= OPENING_MAX) return
      this.waiting.delete(response)
      // A waiting response on a pipelined connection has no "close" event when its connection closes.
      if (response.req.socket.destroyed) continue
      this.opening.add(response)
      start()
    }
  }
}
