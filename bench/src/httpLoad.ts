/** A process that asks for one page over and over, on connections that stay open, and counts the answers. */
import { connect } from "node:net"
import { Schema } from "effect"
import { percentile } from "./harness/stats.js"
import { task } from "./harness/tasks.js"
import type { PageLoadOutcome } from "./pageLoad.js"

const Settings = Schema.Struct({
  port: Schema.Int,
  path: Schema.String,
  key: Schema.String,
  connections: Schema.Int,
  milliseconds: Schema.Int,
})

const HEAD_END = Buffer.from("\r\n\r\n")
const LAST_CHUNK = Buffer.from("0\r\n\r\n")

/** Whether these bytes are a whole answer. There is never more than one under way. */
const isWhole = (bytes: Buffer): boolean => {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd === -1) return false
  const head = bytes.toString("latin1", 0, headEnd)
  if (!head.startsWith("HTTP/1.1 200")) throw new Error(bytes.toString("utf8", 0, 1000))
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  return length === undefined
    ? bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
    : bytes.length >= headEnd + HEAD_END.length + Number(length)
}

task(Settings, async ({ port, path, key, connections, milliseconds }) => {
  const request = Buffer.from(
    [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${key}`, "", ""].join("\r\n"),
  )
  const durations: Array<number> = []
  const startedAt = performance.now()
  const deadline = startedAt + milliseconds

  const asking = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true })
      let arrived: Array<Buffer> = []
      let size = 0
      let expected = 0
      let askedAt = 0
      const again = () => {
        arrived = []
        size = 0
        askedAt = performance.now()
        socket.write(request)
      }
      socket.on("connect", again)
      socket.on("error", reject)
      socket.on("close", () => reject(new Error("the connection was closed")))
      socket.on("data", (chunk) => {
        arrived.push(chunk)
        size += chunk.length
        // All answers are alike, so an answer shorter than the last one need not be looked at yet.
        if (size < expected) return
        const bytes = Buffer.concat(arrived)
        if (!isWhole(bytes)) return
        expected = bytes.length
        const now = performance.now()
        durations.push(now - askedAt)
        if (now < deadline) return again()
        socket.removeAllListeners("close")
        socket.destroy()
        resolve()
      })
    })
  await Promise.all(Array.from({ length: connections }, asking))
  return {
    perSecond: (durations.length * 1000) / (performance.now() - startedAt),
    p50: percentile(durations, 0.5),
    p99: percentile(durations, 0.99),
  } satisfies PageLoadOutcome
})
