/** The databases of a benchmark that runs on both. */
import { lookInto } from "@mailroom/test-services"
import { Effect } from "effect"

const names = ["sqlite", "postgres"] as const

/** Whether to run on a database: on both, or with `--sqlite` or `--postgres` on that one. */
export const isChosen = (database: (typeof names)[number]): boolean =>
  process.argv.includes(`--${database}`) || !names.some((name) => process.argv.includes(`--${name}`))

/** Does to tables that were just filled what Postgres does by itself within some minutes, perhaps while it is measured. */
export const vacuumed = (url: string): Effect.Effect<void> =>
  Effect.scoped(Effect.flatMap(lookInto(url), (look) => look("VACUUM ANALYZE")))
