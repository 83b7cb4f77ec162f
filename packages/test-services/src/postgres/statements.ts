/** A proxy before Postgres that counts the statements which go through it. */
import { Effect, type Scope } from "effect"
import { tcpProxyTo } from "../tcpProxy.js"

export interface StatementCounter {
  readonly url: string
  /** how many statements have gone through */
  readonly count: () => number
}

/** Frontend messages that have a statement run: Execute and a simple query (Postgres documentation, Message Formats). */
export const runsStatement = (type: string): boolean => type === "E" || type === "Q"

/** Splits what a client says into its messages: a type byte and a length, but the first, which has a length alone. */
export const hearMessages = (heard: (type: string, body: Buffer) => void): ((chunk: Buffer) => void) => {
  let rest = Buffer.alloc(0)
  let started = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = started ? 1 : 0
      if (rest.length < head + 4) return
      const size = head + rest.readUInt32BE(head)
      if (rest.length < size) return
      if (started) heard(rest.toString("latin1", 0, 1), rest.subarray(head + 4, size))
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
      const hear = hearMessages((type) => {
        if (runsStatement(type)) statements += 1
      })
      return (chunk: Buffer, pass: () => void) => {
        hear(chunk)
        pass()
      }
    }
    const { port } = yield* tcpProxyTo(url.hostname, Number(url.port), listen)
    url.port = String(port)
    return { url: url.href, count: () => statements }
  })
