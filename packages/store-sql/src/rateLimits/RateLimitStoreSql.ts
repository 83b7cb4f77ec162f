/** Rate limit windows in SQL. */
import { SqlClient } from "@effect/sql"
import { DAY } from "@mailroom/domain"
import { RateLimitStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { orStorageFailure } from "../database/failures.js"
import { run } from "../database/Table.js"

/** No window is longer than this. */
const LONGEST_WINDOW = DAY
/** old windows removed when a new one begins, so that the table shrinks faster than it grows */
const REMOVED_AT_ONCE = 100

const decodeUses = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ uses: Schema.Int })))

const make = (sql: SqlClient.SqlClient): RateLimitStore["Type"] => ({
  count: (key, windowStart) =>
    Effect.gen(function* () {
      const [{ uses }] = yield* orStorageFailure(
        Effect.flatMap(
          sql`INSERT INTO rate_limits (counter, window_start, uses) VALUES (${key}, ${windowStart}, 1)
            ON CONFLICT (counter, window_start) DO UPDATE SET uses = rate_limits.uses + 1 RETURNING uses`,
          decodeUses,
        ),
      )
      if (uses === 1)
        yield* run(
          sql`DELETE FROM rate_limits WHERE (counter, window_start) IN (
            SELECT counter, window_start FROM rate_limits WHERE window_start < ${windowStart - LONGEST_WINDOW}
            LIMIT ${REMOVED_AT_ONCE})`,
        )
      return uses
    }),
  forget: (key) => run(sql`DELETE FROM rate_limits WHERE counter = ${key}`),
})

export const RateLimitStoreSql: Layer.Layer<RateLimitStore, never, SqlClient.SqlClient> = Layer.effect(
  RateLimitStore,
  Effect.map(SqlClient.SqlClient, make),
)
