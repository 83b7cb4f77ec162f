/** Node's HTTP server with bounds on concurrent requests: those of one connection, and those that open event streams. */
import { isForEventStream } from "@mailroom/http"
import { IncomingMessage, Server, type ServerOptions, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { StreamOpenings } from "./StreamOpenings.js"

/** Pipelined requests of one connection that may wait for their answers. */
const PIPELINED_MAX = 32

interface Observer {
  readonly answered: (response: ServerResponse, status: number) => void
  readonly closed: (response: ServerResponse) => void
}

const NOBODY: Observer = { answered: () => {}, closed: () => {} }

/**
 * A response that tells its server when its head is written and when it is closed. It overrides methods instead of adding
 * listeners, because an event stream removes all "close" listeners but its own (`writeOn`).
 */
class ObservedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  observer = NOBODY

  override writeHead(status: number, ...rest: ReadonlyArray<unknown>): this {
    Reflect.apply(super.writeHead, this, [status, ...rest])
    this.observer.answered(this, status)
    return this
  }

  override emit(event: string | symbol, ...parameters: ReadonlyArray<unknown>): boolean {
    if (event === "close") this.observer.closed(this)
    return super.emit(event, ...parameters)
  }
}

/**
 * Closes a connection on which more than `PIPELINED_MAX` requests wait for their answers. Node starts all requests in the
 * bytes that it has read at once: 64 kB hold 2,000 requests, which block the event loop for seconds.
 */
export class BoundedServer extends Server {
  /** The responses that are not closed yet. */
  readonly running = new Set<ServerResponse>()
  private readonly waiting = new WeakMap<Socket, number>()
  private readonly openings = new StreamOpenings()
  private readonly observer: Observer = {
    answered: (response, status) => this.openings.answered(response, status),
    closed: (response) => this.closed(response),
  }

  constructor(options: ServerOptions) {
    super({ ...options, ServerResponse: ObservedResponse })
  }

  override emit(event: string, ...args: ReadonlyArray<unknown>): boolean {
    const [request, response] = args
    if (
      event !== "request" ||
      !(request instanceof IncomingMessage) ||
      !(response instanceof ObservedResponse)
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
    response.observer = this.observer
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
