/**
 * A connection of the process's own, beside the pool, which no work ever keeps waiting. It tells the other processes
 * that this one lives, and carries what they have to tell each other. Where it breaks it is made anew.
 */
import { Deferred, Effect, Option, Runtime, type Scope } from "effect"
import { Client } from "pg"
import { clientOptions } from "./pool.js"

/** Milliseconds between two attempts to connect. */
const RECONNECT_AFTER = 1_000

const ignored = (): void => {}

export interface Lifeline {
  /** Fails when the connection is lost, and while it is. */
  readonly query: (
    text: string,
    values: ReadonlyArray<unknown>,
  ) => Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, Error>
}

interface Handlers {
  /** what was heard on `channel` */
  readonly onNotice: (payload: string) => Effect.Effect<void>
  /** after the first connection and after every other: what was said meanwhile was not heard */
  readonly onConnected: Effect.Effect<void>
}

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))

/** Keeps a connection that listens on `channel`, as long as the scope is open; returns once the first is there. */
export const keepLifeline = (
  url: string,
  channel: string,
  { onNotice, onConnected }: Handlers,
): Effect.Effect<Lifeline, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const runFork = Runtime.runFork(yield* Effect.runtime())
    let current = Option.none<Client>()

    const close = (client: Client) =>
      Effect.suspend(() => {
        current = Option.none()
        return Effect.ignore(Effect.tryPromise(() => client.end()))
      }).pipe(Effect.timeoutOption("1 second"), Effect.interruptible)

    const open = Effect.tryPromise({
      try: async () => {
        const client = new Client(clientOptions(url))
        client.on("error", ignored)
        try {
          await client.connect()
          await client.query(`LISTEN ${channel}`)
        } catch (error) {
          void client.end().catch(ignored)
          throw error
        }
        client.on("notification", ({ payload }) => runFork(onNotice(payload ?? "")))
        return client
      },
      catch: asError,
    })

    /** One connection, from when it is made until it ends. */
    const once = (connected: Effect.Effect<void>) =>
      Effect.acquireUseRelease(
        open,
        (client) =>
          Effect.gen(function* () {
            const over = Effect.async<void>((resume) => {
              client.once("end", () => resume(Effect.void))
              client.once("error", () => resume(Effect.void))
            })
            current = Option.some(client)
            yield* Effect.zipRight(onConnected, connected)
            yield* over
          }),
        close,
      )

    const first = yield* Deferred.make<void, Error>()
    const again = Effect.ignore(once(Effect.void)).pipe(Effect.zipLeft(Effect.sleep(RECONNECT_AFTER)))
    yield* Effect.forkScoped(
      once(Deferred.succeed(first, undefined)).pipe(
        Effect.catchAll((error) => Deferred.fail(first, error)),
        Effect.zipRight(Effect.forever(again)),
      ),
    )
    yield* Deferred.await(first)

    return {
      query: (text, values) =>
        Option.match(current, {
          onNone: () => Effect.fail(new Error("The connection is lost")),
          onSome: (client) =>
            Effect.tryPromise({
              try: async () => {
                const { rows } = await client.query<Record<string, unknown>>(text, [...values])
                return rows
              },
              catch: asError,
            }).pipe(
              // Whatever it was, a new connection is cheap: this one may be silent for ever.
              Effect.tapError(() => Effect.ignore(Effect.tryPromise(() => client.end()))),
            ),
        }),
    }
  })
