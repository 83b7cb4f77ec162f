/**
 * An event stream on a response of Node, without a fiber while nothing happens. The fiber of a request that waits for
 * the end of its response has 20 kB and more; a response of Node has 10 kB (docs/decisions/0041).
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, Exit, type Fiber, Predicate, Scope } from "effect"
import { ServerResponse } from "node:http"
import type { Connection, EventSource, Waiter } from "./Connection.js"

/** The response of Node that answers a request; null on another server, and for a request that is answered without a body. */
export const nodeResponseOf = (request: HttpServerRequest.HttpServerRequest): ServerResponse | null =>
  request.method !== "HEAD" &&
  Predicate.hasProperty(request, "response") &&
  request.response instanceof ServerResponse
    ? request.response
    : null

type Fork = (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<void>

/** Returns when the socket takes more, or is closed. */
const drained = (response: ServerResponse): Effect.Effect<void> =>
  Effect.async((resume) => {
    const done = () => {
      response.off("drain", done).off("close", done)
      resume(Effect.void)
    }
    response.on("drain", done).on("close", done)
  })

export interface Takeover {
  readonly connection: Connection
  readonly source: EventSource
  /** what the stream holds; closed when the response is closed */
  readonly scope: Scope.CloseableScope
}

/** Writes what a connection has to say, with a fiber while it has something. */
class Writer implements Waiter {
  private isWriting = false
  private isWoken = false
  private isOver = false

  constructor(
    private readonly response: ServerResponse,
    private readonly connection: Connection,
    private readonly scope: Scope.CloseableScope,
    private readonly fork: Fork,
  ) {}

  wake(): void {
    this.isWoken = true
    if (this.isWriting || this.isOver) return
    this.isWriting = true
    this.fork(this.write())
  }

  /** The response was closed, by the reader or by us. */
  closed(): void {
    this.connection.abandon()
    this.fork(Scope.close(this.scope, Exit.void))
  }

  private end(): void {
    this.isOver = true
    this.response.end()
  }

  private steps(): Effect.Effect<void> {
    return Effect.flatMap(this.connection.next, (step) => {
      if (step === "wait") return Effect.void
      if (step === "end") return Effect.sync(() => this.end())
      const hasRoom = this.response.write(step) || this.response.destroyed
      return hasRoom ? this.steps() : Effect.flatMap(drained(this.response), () => this.steps())
    })
  }

  private write(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.isWoken = false
      return this.steps()
    }).pipe(
      Effect.catchAllCause((cause) =>
        Effect.zipRight(
          Effect.logError("An event stream failed", cause),
          Effect.sync(() => this.response.destroy()),
        ),
      ),
      Effect.ensuring(
        Effect.sync(() => {
          this.isWriting = false
          if (this.isWoken) this.wake()
        }),
      ),
    )
  }
}

/**
 * Writes the stream on a response, once the handler's own response has been written on it: an empty one, with status 200.
 * The platform ends that; here it is what starts the stream. Any other response is ended as it is.
 */
export const writeOn = (
  response: ServerResponse,
  { connection, source, scope }: Takeover,
  fork: Fork,
): void => {
  const writer = new Writer(response, connection, scope, fork)
  if (response.destroyed) return writer.closed()
  const closed = () => writer.closed()
  response.on("close", closed)
  const { end } = response
  response.end = (...parameters: ReadonlyArray<unknown>): ServerResponse => {
    response.end = end
    if (response.statusCode !== 200) return Reflect.apply(end, response, parameters)
    // The platform's listener, which interrupts the request's fiber, is not needed any more: the fiber ends with this call.
    // The listener alone would keep it, with its references and its grown stack: 2.5 kB.
    response.removeAllListeners("close").on("close", closed)
    connection.begin(source, writer)
    writer.wake()
    return response
  }
}
