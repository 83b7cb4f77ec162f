/** A test's own connection to a database, to inspect its rows and locks. */
import { Effect, type Scope } from "effect"
import { Client } from "pg"

export type Look = (
  statement: string,
  values?: ReadonlyArray<unknown>,
) => Effect.Effect<ReadonlyArray<Record<string, unknown>>>

export const lookInto = (url: string): Effect.Effect<Look, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Client({ connectionString: url })
        await client.connect()
        return client
      }),
      (client) => Effect.promise(() => client.end()),
    ),
    (client) =>
      (statement, values = []) =>
        Effect.promise(
          async () => (await client.query<Record<string, unknown>>(statement, [...values])).rows,
        ),
  )

/** Whether a statement in the database waits for a lock that another transaction holds. */
export const waitsForLock = (look: Look): Effect.Effect<boolean> =>
  Effect.map(
    look(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' LIMIT 1",
    ),
    (rows) => rows.length > 0,
  )
