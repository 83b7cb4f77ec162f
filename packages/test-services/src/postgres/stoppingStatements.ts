/** A proxy before Postgres that holds one statement, so that a test can let others run while a transaction is open. */
import { Deferred, Effect, FiberId, type Scope } from "effect"
import { tcpProxyTo } from "../tcpProxy.js"
import { hearMessages, runsStatement } from "./statements.js"

export interface Stop {
  /** Ends when the statement is held. */
  readonly reached: Effect.Effect<void>
  /** Lets it go on. No statement is held after that. */
  readonly release: Effect.Effect<void>
  /** how many statements came since `stopAt` */
  readonly count: () => number
}

export interface StoppingProxy {
  readonly url: string
  /** Holds the statement number `at`, from 0, of those that come from now on, on all connections. */
  readonly stopAt: (at: number) => Stop
}

/**
 * A connection that listens for notifications is left alone: its statements are heartbeats and signals, which belong
 * to no use case.
 */
export const stoppingStatements = (database: string): Effect.Effect<StoppingProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const url = new URL(database)
    let onStatement = (): boolean => false
    let held = (): void => {}

    const listen = () => {
      let listens = false
      let stops = false
      const hear = hearMessages((type, body) => {
        listens ||= type === "Q" && body.toString("latin1").startsWith("LISTEN")
        if (!listens && runsStatement(type)) stops ||= onStatement()
      })
      return (chunk: Buffer, pass: () => void) => {
        stops = false
        hear(chunk)
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
