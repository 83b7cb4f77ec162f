/** A proxy in front of Postgres that counts statements. */
import { Effect, type Scope } from "effect"
import { tcpProxyTo } from "../tcpProxy.js"

export interface StatementCounter {
  readonly url: string
  /** number of statements so far */
  readonly count: () => number
}

/** Whether a frontend message runs a statement: Execute, or a simple Query (Postgres documentation, Message Formats). */
export const runsStatement = (type: string): boolean => type === "E" || type === "Q"

/** Splits the bytes of a client into messages. Each has a type byte and a length; the first has a length only. */
export const parseMessages = (onMessage: (type: string, body: Buffer) => void): ((chunk: Buffer) => void) => {
  let rest = Buffer.alloc(0)
  let started = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = started ? 1 : 0
      if (rest.length < head + 4) return
      const size = head + rest.readUInt32BE(head)
      if (rest.length < size) return
      if (started) onMessage(rest.toString("latin1", 0, 1), rest.subarray(head + 4, size))
      started = true
      rest = rest.subarray(size)
    }
  }
}

export const countingStatements = (database: string): Effect.Effect<StatementCounter, never, Scope.Scope> =>
  Effect.gen(function* () {
    const url = new URL(database)
    let statements = 0
    const listen = () => {
      const parse = parseMessages((type) => {
        if (runsStatement(type)) statements += 1
      })
      return (chunk: Buffer, pass: () => void) => {
        parse(chunk)
        pass()
      }
    }
    const { port } = yield* tcpProxyTo(url.hostname, Number(url.port), listen)
    url.port = String(port)
    return { url: url.href, count: () => statements }
  })
