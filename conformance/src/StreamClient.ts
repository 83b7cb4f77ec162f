/** A client of `GET /v1/events`, which collects the frames (docs/specification/events.md, The stream). */
import { Effect, type Scope } from "effect"
import { valueAt } from "./Answer.js"
import type { World } from "./World.js"

export interface Frame {
  readonly id: string
  readonly event: string
  /** the envelope */
  readonly data: unknown
}

export interface StreamClient {
  readonly headers: Headers
  /** the raw text received so far */
  readonly text: () => string
  readonly frames: () => ReadonlyArray<Frame>
  /** The frames, when at least `count` have arrived. */
  readonly received: (count: number) => Effect.Effect<ReadonlyArray<Frame>>
  /** Resolves once the server has ended the stream. */
  readonly ended: Effect.Effect<void>
  readonly close: Effect.Effect<void>
}

/** The complete frames in a text: exactly id, event and data, in that order. */
const framesIn = (text: string): ReadonlyArray<Frame> =>
  [...text.matchAll(/^id: (.+)\nevent: (.+)\ndata: (.+)\n\n/gm)].map(
    ([, id = "", event = "", data = ""]) => ({ id, event, data: JSON.parse(data) }),
  )

/** The subjects in the data of events. */
export const subjectsOf = (frames: ReadonlyArray<Frame>): ReadonlyArray<unknown> =>
  frames.map(({ data }) => valueAt(data, "data.subject"))

/** Reads a response until the scope ends; returns when the stream has begun. */
export const readEvents = (
  response: Response,
  eventually: World["Type"]["eventually"],
): Effect.Effect<StreamClient, never, Scope.Scope> =>
  Effect.gen(function* () {
    const reader = response.body?.getReader()
    const decoder = new TextDecoder()
    const state = { text: "", ended: false }
    const pump = async (): Promise<void> => {
      for (;;) {
        const next = await reader?.read()
        if (next === undefined || next.done) break
        state.text += decoder.decode(next.value, { stream: true })
      }
    }
    const end = (): void => {
      state.ended = true
    }
    const pumping = pump().then(end, end)
    const close = Effect.promise(async () => {
      await reader?.cancel()
      await pumping
    })
    yield* Effect.addFinalizer(() => close)
    const look = Effect.sync(() => state)
    yield* eventually("the stream has begun", look, ({ text, ended }) => text !== "" || ended)
    return {
      headers: response.headers,
      text: () => state.text,
      frames: () => framesIn(state.text),
      received: (count) =>
        eventually(
          `${count} events have come`,
          Effect.map(look, ({ text }) => framesIn(text)),
          ({ length }) => length >= count,
        ),
      ended: Effect.asVoid(eventually("the stream has ended", look, ({ ended }) => ended)),
      close,
    }
  })
