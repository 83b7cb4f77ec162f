/**
 * The part of a request's body that nobody read. A connection that closes while its client is still sending is reset, and
 * the client may never see the answer: so the rest is read and thrown away.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"
import { IncomingMessage } from "node:http"
import { DISCARDED_MAX_BYTES, DISCARDED_MAX_MILLIS } from "./limits.js"

/** HTTP/1.0, and clients that say so, end the connection with the answer. */
const closesAfterAnswer = ({ headers, httpVersionMinor }: IncomingMessage): boolean =>
  httpVersionMinor === 0 || headers.connection?.toLowerCase().includes("close") === true

/** A client that asked whether to send the body, and was not told to go on, sends none. */
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
  }).pipe(Effect.timeout(DISCARDED_MAX_MILLIS), Effect.ignore)

/** To be run before the answer goes out. On a connection that stays, the rest is discarded while the client reads. */
export const discardRest = ({ source }: HttpServerRequest.HttpServerRequest): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (!(source instanceof IncomingMessage) || source.complete || waitsForContinue(source))
      return Effect.void
    if (closesAfterAnswer(source)) return discarded(source)
    source.resume()
    return Effect.void
  })
