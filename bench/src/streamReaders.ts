/** A process that opens event streams, answers when all are open, and keeps them until it is stopped. */
import { connect } from "node:net"
import { Schema } from "effect"
import { task } from "./harness/tasks.js"

const Settings = Schema.Struct({
  port: Schema.Int,
  keys: Schema.Array(Schema.String),
  streamsPerKey: Schema.Int,
})

/** Streams that are being opened at the same time. */
const CONCURRENCY = 32

/** Resolves when the stream has begun: its first bytes are the head of the answer and `:ok`. */
const open = (port: number, key: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1")
    socket.on("error", reject)
    socket.on("close", () => reject(new Error("the stream was closed")))
    socket.once("data", (chunk) => {
      const head = chunk.toString("latin1")
      if (head.startsWith("HTTP/1.1 200 ")) resolve()
      else reject(new Error(head.slice(0, 500)))
    })
    socket.on("data", () => {})
    socket.write(`GET /v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n\r\n`)
  })

task(Settings, async ({ port, keys, streamsPerKey }) => {
  const wanted = keys.flatMap((key) => Array.from({ length: streamsPerKey }, () => key))
  const started = performance.now()
  let next = 0
  const openSome = async () => {
    for (let key = wanted[next++]; key !== undefined; key = wanted[next++]) await open(port, key)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, openSome))
  return { opened: wanted.length, millis: performance.now() - started }
})
