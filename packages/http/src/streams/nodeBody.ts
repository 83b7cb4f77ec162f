/**
 * An event stream on a response of Node, without a fiber while nothing happens. The fiber of a request that waits for
 * the end of its response has 20 kB and more; a response of Node has 10 kB (docs/decisions/0041).
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, type Fiber, Predicate } from "effect"
import { ServerResponse } from "node:http"
import type { Connection, EventSource } from "./Connection.js"

/** The response of Node that answers a request; null on another server, and for a request that is answered without a body. */
export const nodeResponseOf = (request: HttpServerRequest.HttpServerRequest): ServerResponse | null =>
  request.method !== "HEAD" &&
  Predicate.hasProperty(request, "response") &&
  request.response instanceof ServerResponse
    ? request.response
    : null

/** Closes the socket of a response. On its own here, so that it keeps nothing of the request alive. */
export const destroyOf = (response: ServerResponse) => (): void => {
  response.destroy()
}

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

/** Writes what a connection has to say, with a fiber while it has something. */
class Writer {
  private isWriting = false
  private isWoken = false
  private isOver = false

  constructor(
    private readonly response: ServerResponse,
    private readonly connection: Connection,
    private readonly fork: Fork,
  ) {}

  readonly wake = (): void => {
    this.isWoken = true
    if (this.isWriting || this.isOver) return
    this.isWriting = true
    this.fork(this.write)
  }

  end(): void {
    this.isOver = true
    this.response.end()
  }

  private readonly steps: Effect.Effect<void> = Effect.suspend(() =>
    Effect.flatMap(this.connection.next, (step) => {
      if (step === "wait") return Effect.void
      if (step === "end") return Effect.sync(() => this.end())
      const hasRoom = this.response.write(step) || this.response.destroyed
      return hasRoom ? this.steps : Effect.zipRight(drained(this.response), this.steps)
    }),
  )

  private readonly write: Effect.Effect<void> = Effect.suspend(() => {
    this.isWoken = false
    return this.steps
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

export interface Takeover {
  readonly connection: Connection
  readonly source: EventSource
  readonly fork: Fork
  /** runs once, when the response is closed */
  readonly release: Effect.Effect<void>
}

/**
 * Writes the stream on a response, once the handler's own response has been written on it: an empty one, with status 200.
 * The platform ends that; here it is what starts the stream. Any other response is ended as it is.
 */
export const writeOn = (response: ServerResponse, { connection, source, fork, release }: Takeover): void => {
  const closed = () => {
    connection.abandon()
    fork(release)
  }
  if (response.destroyed) return closed()
  response.once("close", closed)
  const { end } = response
  response.end = (...parameters: ReadonlyArray<unknown>): ServerResponse => {
    response.end = end
    if (response.statusCode !== 200) return Reflect.apply(end, response, parameters)
    const writer = new Writer(response, connection, fork)
    connection.begin(source, writer.wake)
    writer.wake()
    return response
  }
}
