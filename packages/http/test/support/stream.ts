/** An event stream as its reader sees it. */
import { eventLoopTurns } from "@mailroom/test-services"
import { type Call, InMemoryHttp } from "@mailroom/testing"
import { Effect } from "effect"
import { expect } from "vitest"

export interface Reader {
  readonly response: Response
  /** what came so far and was not taken yet; whatever is under way comes first */
  readonly take: Effect.Effect<string>
  readonly ended: Effect.Effect<boolean>
  readonly close: Effect.Effect<void>
}

/** Opens a stream and reads it until the test is over. */
export const listen = Effect.fn(function* (call: Call, query = "") {
  const { open } = yield* InMemoryHttp
  const response = yield* open(`GET /v1/events${query}`, call)
  expect(response.status).toBe(200)
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  let ended = false
  const pump = async (): Promise<void> => {
    for (;;) {
      const next = await reader?.read()
      if (next === undefined || next.done) break
      text += decoder.decode(next.value, { stream: true })
    }
    ended = true
  }
  const pumping = pump()
  const close = Effect.promise(async () => {
    await reader?.cancel()
    await pumping
  }).pipe(Effect.zipRight(eventLoopTurns()))
  yield* Effect.addFinalizer(() => close)
  yield* eventLoopTurns()
  return {
    response,
    take: Effect.map(eventLoopTurns(), () => {
      const taken = text
      text = ""
      return taken
    }),
    ended: Effect.map(eventLoopTurns(), () => ended),
    close,
  } satisfies Reader
})

export interface Frame {
  readonly id: string
  readonly event: string
  readonly data: unknown
}

/** The frames in a piece of stream: id, event and data, in that order, and nothing else. */
export const framesIn = (text: string): ReadonlyArray<Frame> =>
  [...text.matchAll(/^id: (.+)\nevent: (.+)\ndata: (.+)\n\n/gm)].map(
    ([, id = "", event = "", data = ""]) => ({
      id,
      event,
      data: JSON.parse(data),
    }),
  )
