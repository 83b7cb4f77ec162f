/** Opens event streams a few at a time: thousands of clients reconnect at once after a restart (docs/decisions/0052). */
import { respondOverloaded } from "@mailroom/http"
import type { ServerResponse } from "node:http"

/**
 * Requests for event streams that are under way at the same time, from their start until the head of the answer. An
 * opening allocates 0.7 MB: eight of them end before the collector has looked at their objects twice and keeps them.
 */
const OPENING_MAX = 8

/** Seconds after which a client whose request was refused may try again. */
const RETRY_AFTER = 5

export class StreamOpenings {
  private readonly opening = new Set<ServerResponse>()
  /** Responses of requests that wait, oldest first, with what starts each request. A waiting request has no fiber yet. */
  private readonly waiting = new Map<ServerResponse, () => void>()

  /** Calls `start` now, or once earlier requests are answered. */
  add(response: ServerResponse, start: () => void): void {
    this.waiting.set(response, start)
    this.startSome()
  }

  /**
   * The head of an answer is written. After a 503 all waiting requests are refused with 503 as well: while the storage
   * is away each opening takes seconds to fail, and the waiting clients would learn of it minutes later.
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

  /** The response is closed, answered or not. */
  closed(response: ServerResponse): void {
    this.waiting.delete(response)
    if (this.opening.delete(response)) this.startSome()
  }

  private startSome(): void {
    for (const [response, start] of this.waiting) {
      if (this.opening.size >= OPENING_MAX) return
      this.waiting.delete(response)
      // A waiting response on a pipelined connection is not told that its connection was closed.
      if (response.req.socket.destroyed) continue
      this.opening.add(response)
      start()
    }
  }
}
