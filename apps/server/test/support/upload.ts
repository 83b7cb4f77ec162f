/** A client that sends a body of any size and reads the answer whenever it comes. */
import { Effect } from "effect"
import { Agent, request } from "node:http"
import type { Server } from "./server.js"

export interface Upload {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly head: string
  /** how many bytes of filling follow the head */
  readonly bytes: number
  readonly tail: string
  /** announces the length; else the body goes out in chunks */
  readonly announced: boolean
}

const CHUNK = Buffer.alloc(256 * 1024, "x")

/** Fails where a client would: when the connection breaks before the answer is read. */
export const upload = (
  server: Server,
  { path, headers, head, bytes, tail, announced }: Upload,
): Effect.Effect<{ readonly status: number; readonly text: string }, Error> =>
  Effect.async((resume) => {
    const agent = new Agent({ keepAlive: true })
    const length = head.length + bytes + tail.length
    const sending = request({
      host: "127.0.0.1",
      port: server.httpPort,
      method: "POST",
      path,
      agent,
      headers: { ...headers, ...(announced && { "content-length": length }) },
    })
    const fail = (error: Error): void => {
      agent.destroy()
      resume(Effect.fail(error))
    }
    sending.on("error", fail)
    sending.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part: string) => (text += part))
      response.on("error", fail)
      response.on("end", () => {
        resume(Effect.succeed({ status: response.statusCode ?? 0, text }))
        agent.destroy()
      })
    })
    let left = bytes
    const pour = (): void => {
      while (left > 0) {
        const part = left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK
        left -= part.length
        if (!sending.write(part)) {
          sending.once("drain", pour)
          return
        }
      }
      sending.end(tail)
    }
    sending.write(head)
    pour()
    return Effect.sync(() => agent.destroy())
  })
