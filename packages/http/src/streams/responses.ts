/**
 * An event stream as an answer. On a response of Node it has no fiber while nothing happens: a fiber that waits for the end
 * of its response takes 20 kB and more, a response of Node 10 kB (docs/decisions/0041). On other servers it is a body.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Chunk, Effect, Exit, type Fiber, Option, Predicate, Scope, Stream } from "effect"
import { type IncomingMessage, ServerResponse } from "node:http"
import { pathOf } from "../requests.js"
import type { Connection, EventSource, Waiter } from "./Connection.js"

const STREAM_PATH = "/v1/events"

/** Whether a request asks for the event stream. */
export const isForEventStream = ({ method, url }: IncomingMessage): boolean =>
  method === "GET" && url !== undefined && pathOf(url) === STREAM_PATH

/** The response of Node that answers a request. Null on another server, and for HEAD, whose answer has no body. */
export const nodeResponseOf = (request: HttpServerRequest.HttpServerRequest): ServerResponse | null =>
  request.method !== "HEAD" &&
  Predicate.hasProperty(request, "response") &&
  request.response instanceof ServerResponse
    ? request.response
    : null

type Fork = (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<void>

/** Waits until the socket takes more bytes, or is closed. */
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
  /** the resources of the stream; closed when the response is closed */
  readonly scope: Scope.CloseableScope
}

/** Writes the steps of a connection to its response. It has a fiber only while there is something to write. */
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
 * Writes the stream to a response of Node. The handler answers with an empty response of status 200; the platform writes
 * its head and calls `end`. That call starts the stream here. A response of any other status ends as usual.
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
    // The platform's listener interrupts the request's fiber, which ends with this call anyway. Left in place, the listener
    // would keep the fiber and its stack in memory: 2.5 kB.
    response.removeAllListeners("close").on("close", closed)
    connection.begin(source, writer)
    writer.wake()
    return response
  }
}

/** The stream as a body, for servers other than Node's. It takes the next step once the last bytes were read. */
export const streamBody = (connection: Connection, source: EventSource): Stream.Stream<Uint8Array> => {
  const woken = Effect.unsafeMakeLatch(false)
  connection.begin(source, { wake: () => woken.unsafeOpen() })
  const next: Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<never>> = Effect.suspend(() => {
    // Closed before the step is taken, so that a wake-up in between opens it again.
    woken.unsafeClose()
    return Effect.flatMap(connection.next, (step) => {
      if (step === "end") return Effect.fail(Option.none())
      return step === "wait" ? Effect.zipRight(woken.await, next) : Effect.succeed(Chunk.of(step))
    })
  })
  return Stream.repeatEffectChunkOption(next)
}
