/** The bytes of a body, counted as they come: one that is sent in chunks may go on above every limit. */
import type * as HttpServerError from "@effect/platform/HttpServerError"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { SizeExceeded } from "@mailroom/domain"
import { Effect, Stream } from "effect"
import { REQUEST_MAX_BYTES } from "./bodyLimits.js"

/** So much is read all the same, and thrown away: a client that is still sending would not see the answer. */
const DISCARDED_MAX_BYTES = 4 * REQUEST_MAX_BYTES

const tooLarge = new SizeExceeded({ what: "the request", limitBytes: REQUEST_MAX_BYTES })

const joined = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const whole = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}

/** All of its bytes, or that there are too many: once they have come to an end, or will not soon. */
export const readBytes = (
  request: HttpServerRequest.HttpServerRequest,
): Effect.Effect<Uint8Array, HttpServerError.RequestError | SizeExceeded> =>
  Effect.suspend(() => {
    const kept: Array<Uint8Array> = []
    let total = 0
    const take = (chunk: Uint8Array) => {
      total += chunk.length
      if (total <= REQUEST_MAX_BYTES) kept.push(chunk)
      else kept.length = 0
      return total > DISCARDED_MAX_BYTES ? Effect.fail(tooLarge) : Effect.void
    }
    return Effect.flatMap(Stream.runForEach(request.stream, take), () =>
      total > REQUEST_MAX_BYTES ? Effect.fail(tooLarge) : Effect.succeed(joined(kept, total)),
    )
  })
