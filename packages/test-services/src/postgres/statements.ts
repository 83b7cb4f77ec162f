/** A door before Postgres that counts the statements which go through it. */
import { Effect, type Scope } from "effect"
import { doorTo } from "../door.js"

export interface StatementCounter {
  readonly url: string
  /** how many statements have gone through */
  readonly count: () => number
}

/** Frontend messages that have a statement run: Execute and a simple query (Postgres documentation, Message Formats). */
const RUNS: ReadonlySet<number> = new Set(["E", "Q"].map((letter) => letter.charCodeAt(0)))

/** Counts in a stream of messages: a type byte and a length, but the first, which has a length alone. */
const counter = (onStatement: () => void): ((chunk: Buffer) => void) => {
  let rest = Buffer.alloc(0)
  let started = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = started ? 1 : 0
      if (rest.length < head + 4) return
      const size = head + rest.readUInt32BE(head)
      if (rest.length < size) return
      if (started && RUNS.has(rest[0] ?? 0)) onStatement()
      started = true
      rest = rest.subarray(size)
    }
  }
}

export const countingStatements = (database: string): Effect.Effect<StatementCounter, never, Scope.Scope> =>
  Effect.gen(function* () {
    const url = new URL(database)
    let statements = 0
    const count = () => counter(() => (statements += 1))
    const { port } = yield* doorTo(url.hostname, Number(url.port), count)
    url.port = String(port)
    return { url: url.href, count: () => statements }
  })
