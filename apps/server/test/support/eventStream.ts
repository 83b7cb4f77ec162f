/** A reader of the event stream. */
import { eventually } from "@mailroom/test-services"
import { Effect, Schema, type Scope } from "effect"
import type { Server } from "./server.js"

export interface Frame {
  readonly id: string
  readonly event: string
  readonly data: typeof Envelope.Type
}

export interface EventReader {
  /** every event that came so far */
  readonly frames: ReadonlyArray<Frame>
  /** whether the server ended the stream */
  readonly isOver: () => boolean
  /** the last that came before the end; null when the stream goes on, or was cut off */
  readonly lastWords: () => string | null
  /** The frames, once there are as many. */
  readonly received: (count: number) => Effect.Effect<ReadonlyArray<Frame>>
}

const Envelope = Schema.Struct({
  event: Schema.String,
  timestamp: Schema.String,
  data: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
})
const decode = Schema.decodeSync(Schema.parseJson(Envelope))

const frameOf = (block: string): ReadonlyArray<Frame> => {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1]
  const id = field("id")
  const data = field("data")
  return id === undefined || data === undefined
    ? []
    : [{ id, event: field("event") ?? "", data: decode(data) }]
}

/** Returns once the stream is open. Events from then on are received. */
export const openStream = (
  server: Pick<Server, "url">,
  key: string,
  lastEventId?: string,
): Effect.Effect<EventReader, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const abort = new AbortController()
      const frames: Array<Frame> = []
      const response = await fetch(`${server.url}/v1/events`, {
        signal: abort.signal,
        headers: {
          accept: "text/event-stream",
          authorization: `Bearer ${key}`,
          ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
        },
      })
      const state = { over: false, opened: false, lastBlock: "", complete: false }
      const readAll = async () => {
        const decoder = new TextDecoder()
        let pending = ""
        for await (const chunk of response.body ?? []) {
          state.opened = true
          pending += decoder.decode(chunk, { stream: true })
          const blocks = pending.split("\n\n")
          pending = blocks.pop() ?? ""
          state.lastBlock = blocks.at(-1) ?? state.lastBlock
          frames.push(...blocks.flatMap(frameOf))
        }
        state.complete = true
      }
      const end = () => {
        state.over = true
      }
      void readAll().then(end, end)
      return { abort, frames, state }
    }),
    ({ abort }) => Effect.sync(() => abort.abort()),
  ).pipe(
    Effect.tap(({ state }) =>
      eventually(
        "the stream is open",
        Effect.sync(() => state),
        ({ opened, over }) => opened || over,
      ),
    ),
    Effect.map(({ frames, state }) => ({
      frames,
      isOver: () => state.over,
      lastWords: () => (state.complete ? state.lastBlock : null),
      received: (count) =>
        eventually(
          `${count} events are there`,
          Effect.sync(() => frames),
          ({ length }) => length >= count,
        ),
    })),
  )
