/**
 * The connection on which this process listens for notifications and sends heartbeats. It is not part of the pool, so
 * other work cannot delay it. When it breaks, it is opened again; the log says so once, and once when it is back.
 */
import { shownFromStart } from "@mailroom/engine"
import { Clock, Deferred, Effect, Metric, Option, Runtime, type Scope } from "effect"
import { Client } from "pg"
import { codeOf } from "../database/failures.js"
import { withCode } from "./connection.js"
import { clientOptions } from "./pool.js"

/** Milliseconds to wait for an answer; then the connection is closed. Three such waits fit into the 6 s of a heartbeat. */
const ANSWER_TIMEOUT = 2_000
/** Milliseconds for which a statement waits for a lock; then it fails, and the connection stays. */
const LOCK_TIMEOUT = 1_000
/** Milliseconds before the first attempt to reconnect, and before each further attempt. */
const RECONNECT_FIRST_AFTER = 100
const RECONNECT_AFTER = 1_000
/** Milliseconds for a clean end of a connection; then its socket is destroyed. */
const CLOSE_TIMEOUT = 1_000

const reconnects = shownFromStart(
  Metric.counter("mailroom_listen_reconnects_total", {
    description: "times the listen connection to Postgres was lost and opened again",
    incremental: true,
  }),
)

export type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

export interface ListenConnection {
  /** Fails while the connection is lost. A failing statement closes the connection, unless it waited too long for a lock (`isLocked`). */
  readonly query: (text: string, values?: ReadonlyArray<unknown>) => Effect.Effect<Rows, Error>
}

interface Handlers {
  readonly onNotification: (payload: string) => void
  /** Runs on each new connection before any other statement. Its failure counts as a lost connection. */
  readonly onConnected: (connection: ListenConnection) => Effect.Effect<void, Error>
}

/** Whether a statement failed because another transaction kept a lock: SQLSTATE lock_not_available. */
export const isLocked = (error: Error): boolean => codeOf(error) === "55P03"

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))

/** The error code for the log, without the message of the driver or server, which may name users and hosts. */
const reasonOf = (error: Error): string => codeOf(withCode(error)) ?? "no code"

/** Opens a client. Its events are observed from before the first byte, so no end of the connection is missed. */
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
        Effect.tapError((error) => (isLocked(error) ? Effect.void : Effect.sync(() => end(error)))),
        oneAtATime.withPermits(1),
      )
    const close = Effect.tryPromise(() => client.end()).pipe(
      Effect.timeoutOption(CLOSE_TIMEOUT),
      Effect.interruptible,
      Effect.ignore,
      // A server that does not answer never confirms the end.
      Effect.zipRight(Effect.sync(() => client.connection.stream.destroy())),
    )
    yield* Effect.tryPromise({
      try: async () => {
        await client.connect()
        // PgBouncer refuses connections that begin with settings which it does not know.
        await client.query(`SET lock_timeout = ${LOCK_TIMEOUT}`)
      },
      catch: asError,
    }).pipe(Effect.onError(() => close))
    return { query, close, ended: Deferred.await(ended) }
  })

/** Keeps a connection open until the scope closes. Returns when the first is open; fails when it cannot be opened. */
export const keepListenConnection = (
  url: string,
  { onNotification, onConnected }: Handlers,
): Effect.Effect<ListenConnection, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const run = Runtime.runSync(yield* Effect.runtime())
    const first = yield* Deferred.make<void, Error>()
    let current = Option.none<ListenConnection>()
    let lostAt = Option.none<number>()

    const notify = (payload: string): void =>
      run(
        Effect.catchAllCause(
          Effect.sync(() => onNotification(payload)),
          (cause) => Effect.logError("Handling a notification of another process failed", cause),
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

    /** Returns the milliseconds to wait before the next attempt. */
    const lost = (error: Error) =>
      Effect.gen(function* () {
        yield* Deferred.fail(first, error)
        if (Option.isSome(lostAt)) return RECONNECT_AFTER
        lostAt = Option.some(yield* Clock.currentTimeMillis)
        yield* Effect.logWarning(
          `The listen connection to Postgres is lost (${reasonOf(error)}). Until it is back, this process polls ` +
            `for the work of other processes within 15 s instead of being notified, and sends no heartbeats`,
        )
        return RECONNECT_FIRST_AFTER
      })

    /** One connection, from opening until it is lost. */
    const once = Effect.acquireUseRelease(
      open(url, notify),
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
