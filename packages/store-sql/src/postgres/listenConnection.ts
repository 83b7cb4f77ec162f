/**
 * The connection on which this process listens for notifications and sends heartbeats. It is beside the pool, so that no
 * other work holds it up. When it breaks it is made anew; the log says so once, and once when it is back.
 */
import { Clock, Deferred, Effect, Metric, Option, Runtime, type Scope } from "effect"
import { Client } from "pg"
import { codeOf } from "../database/failures.js"
import { withCode } from "./connection.js"
import { clientOptions } from "./pool.js"

/** Milliseconds until an answer is given up, and the connection with it: three fit between a heartbeat and its end. */
const ANSWER_TIMEOUT = 2_000
/** Milliseconds before the first attempt to connect again, and before each further one. */
const RECONNECT_FIRST_AFTER = 100
const RECONNECT_AFTER = 1_000
/** Milliseconds that a connection is given to end in order. */
const CLOSE_TIMEOUT = 1_000

const reconnects = Metric.counter("mailroom_listen_reconnects_total", {
  description: "times the listen connection to Postgres was lost and made again",
  incremental: true,
})

export type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

export interface ListenConnection {
  /** Fails when the connection is lost, and while it is. A statement that fails ends the connection. */
  readonly query: (text: string, values?: ReadonlyArray<unknown>) => Effect.Effect<Rows, Error>
}

interface Handlers {
  readonly onNotification: (payload: string) => void
  /** Runs on each new connection before it is used. When it fails, so has the connection. */
  readonly onConnected: (connection: ListenConnection) => Effect.Effect<void, Error>
}

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))

/** What broke, without the words of the driver or the server, which may name users and hosts. */
const reasonOf = (error: Error): string => codeOf(withCode(error)) ?? "no code"

/** A client, and what ends it: both are listened for before the first byte. */
const open = (url: string, onNotification: Handlers["onNotification"]) =>
  Effect.gen(function* () {
    const client = new Client({ ...clientOptions(url), query_timeout: ANSWER_TIMEOUT })
    const ended = yield* Deferred.make<never, Error>()
    const end = (error: Error): void => Deferred.unsafeDone(ended, Effect.fail(error))
    client.on("error", end)
    client.on("end", () => end(new Error("Connection terminated")))
    client.on("notification", ({ payload }) => onNotification(payload ?? ""))
    const oneAtATime = Effect.unsafeMakeSemaphore(1)
    const query: ListenConnection["query"] = (text, values = []) =>
      Effect.tryPromise({
        try: async () => {
          const { rows } = await client.query<Record<string, unknown>>(text, [...values])
          return rows
        },
        catch: asError,
      }).pipe(
        Effect.tapError((error) => Effect.sync(() => end(error))),
        oneAtATime.withPermits(1),
      )
    const close = Effect.tryPromise(() => client.end()).pipe(
      Effect.timeoutOption(CLOSE_TIMEOUT),
      Effect.interruptible,
      Effect.ignore,
      // A server that is silent does not end it.
      Effect.zipRight(Effect.sync(() => client.connection.stream.destroy())),
    )
    yield* Effect.tryPromise({ try: () => client.connect(), catch: asError }).pipe(
      Effect.onError(() => close),
    )
    return { query, close, ended: Deferred.await(ended) }
  })

/** Keeps the connection as long as the scope is open; returns when the first is made, or fails when it cannot be. */
export const keepListenConnection = (
  url: string,
  { onNotification, onConnected }: Handlers,
): Effect.Effect<ListenConnection, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const run = Runtime.runSync(yield* Effect.runtime())
    const first = yield* Deferred.make<void, Error>()
    let current = Option.none<ListenConnection>()
    let lostAt = Option.none<number>()

    const notified = (payload: string): void =>
      run(
        Effect.catchAllCause(
          Effect.sync(() => onNotification(payload)),
          (cause) => Effect.logError("A notification of another process was not understood", cause),
        ),
      )

    const connected = Effect.gen(function* () {
      yield* Deferred.succeed(first, undefined)
      if (Option.isNone(lostAt)) return
      const seconds = Math.round((yield* Clock.currentTimeMillis) - lostAt.value) / 1000
      lostAt = Option.none()
      yield* Metric.increment(reconnects)
      yield* Effect.logInfo(`The listen connection to Postgres is back after ${seconds} s`)
    })

    /** Returns how long to wait before the next attempt, milliseconds. */
    const lost = (error: Error) =>
      Effect.gen(function* () {
        yield* Deferred.fail(first, error)
        if (Option.isSome(lostAt)) return RECONNECT_AFTER
        lostAt = Option.some(yield* Clock.currentTimeMillis)
        yield* Effect.logWarning(
          `The listen connection to Postgres is lost (${reasonOf(error)}). Until it is back, this process hears of the ` +
            `work of others within 15 s instead of at once, and sends no heartbeats`,
        )
        return RECONNECT_FIRST_AFTER
      })

    /** One connection, from when it is made until it is lost. */
    const once = Effect.acquireUseRelease(
      open(url, notified),
      ({ query, ended }) =>
        Effect.gen(function* () {
          yield* onConnected({ query })
          current = Option.some({ query })
          yield* connected
          return yield* ended
        }),
      ({ close }) =>
        Effect.suspend(() => {
          current = Option.none()
          return close
        }),
    )
    yield* Effect.catchAll(once, lost).pipe(Effect.flatMap(Effect.sleep), Effect.forever, Effect.forkScoped)
    yield* Deferred.await(first)

    return {
      query: (text, values) =>
        Option.match(current, {
          onNone: () => Effect.fail(new Error("The connection is lost")),
          onSome: ({ query }) => query(text, values),
        }),
    }
  })
