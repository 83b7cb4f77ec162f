/** The server-sent event stream as text, with the instant each piece of it arrived. */
import { get } from "node:http"
import { Effect, type Scope } from "effect"
import { BenchFailure } from "./harness/processes.js"

export interface EventStream {
  /** Resolves with the instant (`performance.now()`) at which a frame holding `text` arrived. */
  readonly arrival: (text: string) => Promise<number>
}

/** Opens `GET /v1/events`; returns once the stream is open. */
export const openEventStream = (
  url: string,
  key: string,
): Effect.Effect<EventStream, BenchFailure, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<EventStream & { readonly close: () => void }, BenchFailure>((resume) => {
      let unread = ""
      let waiting: { readonly text: string; readonly resolve: (at: number) => void } | null = null
      const look = () => {
        if (waiting === null || !unread.includes(waiting.text)) return
        const end = unread.indexOf("\n\n", unread.indexOf(waiting.text))
        if (end === -1) return
        unread = unread.slice(end + 2)
        waiting.resolve(performance.now())
        waiting = null
      }
      const request = get(url, {
        headers: { accept: "text/event-stream", authorization: `Bearer ${key}` },
      })
      request.on("error", (error) =>
        resume(Effect.fail(new BenchFailure({ message: `${url}: ${error.message}` }))),
      )
      request.on("response", (response) => {
        if (response.statusCode !== 200)
          return resume(Effect.fail(new BenchFailure({ message: `${url} answers ${response.statusCode}` })))
        response.setEncoding("utf8")
        response.on("error", () => {})
        response.on("data", (chunk: string) => {
          unread += chunk
          look()
        })
        resume(
          Effect.succeed({
            arrival: (text: string) =>
              new Promise<number>((resolve) => {
                waiting = { text, resolve }
                look()
              }),
            close: () => request.destroy(),
          }),
        )
      })
    }),
    ({ close }) => Effect.sync(close),
  )
