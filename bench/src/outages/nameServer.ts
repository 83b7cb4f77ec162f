/** A name server on loopback (RFC 1035 §4.1) that knows the hosts `hook….…`, at 127.0.0.1, and can fall silent. */
import { createSocket } from "node:dgram"
import { Effect, type Scope } from "effect"

const HEADER_BYTES = 12
const TYPE_A = 1
const NO_ERROR = 0x8180
const NO_SUCH_NAME = 0x8183
/** The name of the question, type A, class IN, a TTL of 1 s, 127.0.0.1. */
const ADDRESS = Buffer.from("c00c000100010000000100047f000001", "hex")

const answerTo = (query: Buffer): Buffer => {
  let end = HEADER_BYTES
  for (let length = query.readUInt8(end); length > 0; length = query.readUInt8(end)) end += length + 1
  const question = query.subarray(HEADER_BYTES, end + 5)
  const isRoot = end === HEADER_BYTES
  const isKnown = query.toString("latin1", HEADER_BYTES + 1, HEADER_BYTES + 5).toLowerCase() === "hook"
  const hasAddress = isKnown && query.readUInt16BE(end + 1) === TYPE_A
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(query.readUInt16BE(0), 0)
  header.writeUInt16BE(isKnown || isRoot ? NO_ERROR : NO_SUCH_NAME, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(hasAddress ? 1 : 0, 6)
  return Buffer.concat(hasAddress ? [header, question, ADDRESS] : [header, question])
}

export interface NameServer {
  readonly port: number
  readonly setSilent: (silent: boolean) => void
}

/** Answers until the scope closes. */
export const nameServer: Effect.Effect<NameServer, never, Scope.Scope> = Effect.gen(function* () {
  let isSilent = false
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => createSocket("udp4")),
    (opened) => Effect.sync(() => opened.close()),
  )
  socket.on("message", (query, { port, address }) => {
    if (!isSilent) socket.send(answerTo(query), port, address)
  })
  yield* Effect.async<void>((resume) => void socket.bind(0, "127.0.0.1", () => resume(Effect.void)))
  return {
    port: socket.address().port,
    setSilent: (silent) => {
      isSilent = silent
    },
  }
})
