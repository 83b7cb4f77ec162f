/**
 * Node's HTTP server with bounds on concurrent requests: those of one connection, and those that open event streams. Every response ends,
 * also one whose client is gone.
 */
import { isForEventStream } from "@mailroom/http"
import { Predicate } from "effect"
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
  private onEnd: (() => void) | null = null

  /**
   * Calls the callback of `end` on "close" too: Node never calls it when the client is gone, and the request would keep its room for
   * bodies and its temporary files.
   */
  override end(...parameters: ReadonlyArray<unknown>): this {
    const callback = parameters.at(-1)
    if (!Predicate.isFunction(callback)) return Reflect.apply(super.end, this, parameters)
    this.onEnd = () => {
      this.onEnd = null
      Reflect.apply(callback, undefined, [])
    }
    Reflect.apply(super.end, this, [...parameters.slice(0, -1), () => this.onEnd?.()])
    if (this.destroyed) process.nextTick(() => this.onEnd?.())
    return this
  }

  override writeHead(status: number, ...rest: ReadonlyArray<unknown>): this {
    Reflect.apply(super.writeHead, this, [status, ...rest])
    this.observer.answered(this, status)
    return this
  }

  override emit(event: string | symbol, ...parameters: ReadonlyArray<unknown>): boolean {
    if (event === "close") {
      this.observer.closed(this)
      this.onEnd?.()
    }
    return super.emit(event, ...parameters)
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

/**
 * Closes a connection on which more than `PIPELINED_MAX` requests wait for their answers. Node starts all requests in the
 * bytes that it has read at once: 64 kB hold 2,000 requests, which block the event loop for seconds.
 */
export class BoundedServer extends Server {
  /** The responses that are not closed yet. */
  readonly running = new Set<ServerResponse>()
  /** Those of each open connection. */
  private readonly runningOn = new WeakMap<Socket, Set<ServerResponse>>()
  private readonly openings = new StreamOpenings()
  private readonly observer: Observer = {
    answered: (response, status) => this.openings.answered(response, status),
    closed: (response) => this.closed(response),
  }

  constructor(options: ServerOptions) {
    super({ ...options, ServerResponse: ObservedResponse })
  }

  /**
   * Node answers a request with `Upgrade` as any other when nobody listens for "upgrade" (RFC 9110 §7.8). The library does, and its
   * listener leaves a socket without a listener for errors: a client that resets its connection would end the process.
   */
  override listenerCount(event: string | symbol): number {
    return event === "upgrade" ? 0 : super.listenerCount(event)
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
    const responses = this.responsesOf(socket)
    if (responses.size >= PIPELINED_MAX) {
      socket.destroy()
      return true
    }
    responses.add(response)
    this.running.add(response)
    response.observer = this.observer
    // The answer to a request with a body may wait for the rest of it.
    if (!isForEventStream(request) || hasBody(request)) return super.emit(event, request, response)
    this.openings.add(response, () => super.emit(event, request, response))
    return true
  }

  private responsesOf(socket: Socket): Set<ServerResponse> {
    const known = this.runningOn.get(socket)
    if (known !== undefined) return known
    const responses = new Set<ServerResponse>()
    this.runningOn.set(socket, responses)
    // Node tells only the response that has the socket, and none of the pipelined ones that wait for it.
    socket.once("close", () => {
      for (const response of responses) response.destroy().emit("close")
    })
    return responses
  }

  private closed(response: ServerResponse): void {
    this.running.delete(response)
    this.runningOn.get(response.req.socket)?.delete(response)
    this.openings.closed(response)
  }
}
