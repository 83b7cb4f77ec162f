/** A proxy in front of Postgres that holds one statement, so that a test can run others while its transaction is open. */
import { Deferred, Effect, FiberId, type Scope } from "effect"
import { tcpProxyTo } from "../tcpProxy.js"
import { parseMessages, runsStatement } from "./statements.js"

export interface Stop {
  /** Completes when the statement is held. */
  readonly reached: Effect.Effect<void>
  /** Forwards the statement. No statement is held after that. */
  readonly release: Effect.Effect<void>
  /** number of statements since `stopAt` */
  readonly count: () => number
}

export interface StoppingProxy {
  readonly url: string
  /** Holds statement number `at` (from 0) of those that arrive from now on, counted over all connections. */
  readonly stopAt: (at: number) => Stop
}

/** Ignores a connection that has sent LISTEN: its statements are heartbeats and signals, not those of a use case. */
export const stoppingStatements = (database: string): Effect.Effect<StoppingProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const url = new URL(database)
    let onStatement = (): boolean => false
    let held = (): void => {}

    const listen = () => {
      let listens = false
      let stops = false
      const parse = parseMessages((type, body) => {
        listens ||= type === "Q" && body.toString("latin1").startsWith("LISTEN")
        if (!listens && runsStatement(type)) stops ||= onStatement()
      })
      return (chunk: Buffer, pass: () => void) => {
        stops = false
        parse(chunk)
        if (stops) held = pass
        else pass()
      }
    }

    const stopAt = (at: number): Stop => {
      const reached = Deferred.unsafeMake<void>(FiberId.none)
      let count = 0
      let released = false
      onStatement = () => {
        const stops = count++ === at && !released
        if (stops) Deferred.unsafeDone(reached, Effect.void)
        return stops
      }
      const release = Effect.sync(() => {
        released = true
        held()
        held = () => {}
      })
      return { reached: Deferred.await(reached), release, count: () => count }
    }

    const { port } = yield* tcpProxyTo(url.hostname, Number(url.port), listen)
    url.port = String(port)
    return { url: url.href, stopAt }
  })
