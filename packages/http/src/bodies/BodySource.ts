/**
 * The bytes of a request's body, pulled chunk by chunk. To stop pulling leaves the connection open, so the client of a
 * refused request can read the answer. The library's `request.stream` destroys the connection instead.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { InvalidInput, RequestTooSlow } from "@mailroom/domain"
import { acquireLight } from "@mailroom/engine"
import { Effect, type Scope } from "effect"
import { Readable } from "node:stream"

export interface BodySource {
  /** The next bytes, null at the end. Fails with `InvalidInput` when the client broke the body off. */
  readonly next: Effect.Effect<Uint8Array | null, InvalidInput | RequestTooSlow>
  /** Fails the waiting pull, or else the next one, with `RequestTooSlow`. */
  readonly giveUp: () => void
}

const readableOf = ({ source }: HttpServerRequest.HttpServerRequest): Readable => {
  if (source instanceof Readable) return source
  return source instanceof Request && source.body !== null ? Readable.fromWeb(source.body) : Readable.from([])
}

const brokenOff = new InvalidInput({ issues: [{ path: "", message: "the body was broken off" }] })

const ignore = (): void => undefined

/** Opens the body of a request; to be called once. Closing the scope leaves unread what was not pulled. */
export const openBody = (
  request: HttpServerRequest.HttpServerRequest,
): Effect.Effect<BodySource, never, Scope.Scope> =>
  Effect.map(
    acquireLight(
      Effect.sync(() => {
        const readable = readableOf(request)
        const state = { ended: readable.readableEnded, broken: readable.destroyed, slow: false, wake: ignore }
        const onReadable = () => state.wake()
        const onEnd = () => {
          state.ended = true
          state.wake()
        }
        const onBroken = () => {
          state.broken = true
          state.wake()
        }
        readable.on("readable", onReadable).on("end", onEnd).on("error", onBroken).on("close", onBroken)
        // The listener for errors stays, because an error without a listener would end the process.
        const close = () => readable.off("readable", onReadable).off("end", onEnd).off("close", onBroken)
        return { readable, state, close }
      }),
      ({ close }) => Effect.sync(close),
    ),
    ({ readable, state }) => {
      const poll = (): Effect.Effect<Uint8Array | null, InvalidInput | RequestTooSlow> | null => {
        if (state.slow) return Effect.fail(new RequestTooSlow())
        const chunk: unknown = readable.read()
        if (chunk instanceof Uint8Array) return Effect.succeed(chunk)
        if (state.ended) return Effect.succeed(null)
        return state.broken ? Effect.fail(brokenOff) : null
      }
      return {
        next: Effect.async((resume) => {
          state.wake = () => {
            const outcome = poll()
            if (outcome === null) return
            state.wake = ignore
            resume(outcome)
          }
          state.wake()
          return Effect.sync(() => {
            state.wake = ignore
          })
        }),
        giveUp: () => {
          state.slow = true
          state.wake()
        },
      }
    },
  )
