/**
 * Reads and discards the rest of a request's body. A connection that closes while its client is still sending is reset, and
 * the client may never see the answer.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"
import { IncomingMessage } from "node:http"
import { DISCARDED_MAX_BYTES, DISCARDED_MAX_MILLIS } from "./limits.js"

/** Whether the connection ends with the answer: HTTP/1.0, or `Connection: close`. */
const closesAfterAnswer = ({ headers, httpVersionMinor }: IncomingMessage): boolean =>
  httpVersionMinor === 0 || headers.connection?.toLowerCase().includes("close") === true

/** Whether the client waits for `100 Continue` before it sends the body. */
const waitsForContinue = ({ headers, readableDidRead }: IncomingMessage): boolean =>
  headers.expect !== undefined && !readableDidRead

const discarded = (source: IncomingMessage): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    let left = DISCARDED_MAX_BYTES
    const done = () => resume(Effect.void)
    const onData = (chunk: Uint8Array) => {
      left -= chunk.length
      if (left < 0) done()
    }
    source.on("data", onData).on("end", done).on("close", done)
    return Effect.sync(() => source.off("data", onData).off("end", done).off("close", done))
    // Responses are sent in an uninterruptible region, in which the time-out would wait for what it interrupts.
  }).pipe(Effect.interruptible, Effect.timeout(DISCARDED_MAX_MILLIS), Effect.ignore)

/** Runs before the answer is sent. On a connection that stays open, it discards while the client reads the answer. */
export const discardRest = ({ source }: HttpServerRequest.HttpServerRequest): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (
      !(source instanceof IncomingMessage) ||
      source.complete ||
      source.destroyed ||
      waitsForContinue(source)
    )
      return Effect.void
    if (closesAfterAnswer(source)) return discarded(source)
    source.resume()
    return Effect.void
  })
