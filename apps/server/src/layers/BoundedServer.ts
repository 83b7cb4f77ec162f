/**
 * Node's HTTP server with bounds on the requests that run at the same time: those of one connection, and those that open
 * event streams.
 */
import { isForEventStream } from "@mailroom/http"
import { IncomingMessage, Server, type ServerOptions, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { StreamOpenings } from "./StreamOpenings.js"

/** Requests of one connection that may wait for their answers. */
const PIPELINED_MAX = 32

interface Follower {
  readonly answered: (response: ServerResponse, status: number) => void
  readonly closed: (response: ServerResponse) => void
}

const NOBODY: Follower = { answered: () => {}, closed: () => {} }

/**
 * A response that tells its server when its head is written and when it is closed. It has no listener for that: an idle
 * event stream would keep it, and lets go of all "close" listeners but its own (`writeOn`).
 */
class FollowedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  follower = NOBODY

  override writeHead(status: number, ...rest: ReadonlyArray<unknown>): this {
    Reflect.apply(super.writeHead, this, [status, ...rest])
    this.follower.answered(this, status)
    return this
  }

  override emit(event: string | symbol, ...parameters: ReadonlyArray<unknown>): boolean {
    if (event === "close") this.follower.closed(this)
    return super.emit(event, ...parameters)
  }
}

/**
 * Closes a connection on which more requests wait for their answers than `PIPELINED_MAX`. Node starts every request that
 * is in the bytes it has read, at once: 64 kB hold 2,000, which take seconds of the event loop.
 */
export class BoundedServer extends Server {
  /** Responses that are not closed yet. */
  readonly running = new Set<ServerResponse>()
  private readonly waiting = new WeakMap<Socket, number>()
  private readonly openings = new StreamOpenings()
  private readonly follower: Follower = {
    answered: (response, status) => this.openings.answered(response, status),
    closed: (response) => this.closed(response),
  }

  constructor(options: ServerOptions) {
    super({ ...options, ServerResponse: FollowedResponse })
  }

  override emit(event: string, ...args: ReadonlyArray<unknown>): boolean {
    const [request, response] = args
    if (
      event !== "request" ||
      !(request instanceof IncomingMessage) ||
      !(response instanceof FollowedResponse)
    )
      return super.emit(event, ...args)
    const { socket } = request
    if (socket.destroyed) return true
    const waiting = this.waiting.get(socket) ?? 0
    if (waiting >= PIPELINED_MAX) {
      socket.destroy()
      return true
    }
    this.waiting.set(socket, waiting + 1)
    this.running.add(response)
    response.follower = this.follower
    if (!isForEventStream(request)) return super.emit(event, request, response)
    this.openings.add(response, () => super.emit(event, request, response))
    return true
  }

  private closed(response: ServerResponse): void {
    const { socket } = response.req
    this.running.delete(response)
    this.waiting.set(socket, (this.waiting.get(socket) ?? 1) - 1)
    this.openings.closed(response)
  }
}
