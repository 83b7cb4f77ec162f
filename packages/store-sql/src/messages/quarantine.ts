/** Quarantined messages: stored like others, and hidden until they are released (docs/decisions/0064). */
import type { SqlClient } from "@effect/sql"
import { Instant, QuarantineReason, type QuarantineRecord, ThreadId } from "@mailroom/domain"
import type { MessageStore } from "@mailroom/engine"
import { Effect, Option, Schema } from "effect"
import { Flag, JsonText } from "../database/columns.js"
import { first, rowsOf } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { movesOf } from "../threads/moves.js"
import { gateOf } from "./gates.js"
import { subtractionOf } from "./threadCounts.js"

/** The SELECT list of `quarantineFields`, of `messages AS alias`. */
export const quarantineColumns = (alias: string): string =>
  `${alias}.quarantined_at AS "quarantinedAt", ${alias}.quarantine_reasons AS "quarantineReasons"`

export const quarantineFields = {
  quarantinedAt: Schema.NullOr(Instant),
  quarantineReasons: Schema.NullOr(JsonText(Schema.Array(QuarantineReason))),
}

export const quarantineOf = (columns: {
  readonly quarantinedAt: Instant | null
  readonly quarantineReasons: ReadonlyArray<QuarantineReason> | null
}): QuarantineRecord | null =>
  columns.quarantinedAt === null
    ? null
    : { at: columns.quarantinedAt, reasons: columns.quarantineReasons ?? [] }

/** SQL for whether a list that includes quarantined messages shows a row that it hides otherwise. A gate comes first. */
export const isQuarantined = (alias: string): string =>
  `(${alias}.quarantined_at IS NOT NULL AND ${gateOf(alias)} IS NULL)`

const hidden = rowsOf(Schema.Struct({ threadId: ThreadId, wasVisible: Flag }))
const released = rowsOf(Schema.Struct({ visible: Flag }))

/** `MessageStore.quarantine` and `MessageStore.release` */
export const quarantineIn = (
  sql: SqlClient.SqlClient,
): Pick<MessageStore["Type"], "quarantine" | "release"> => {
  const { join } = transactionOf(sql)
  const moves = movesOf(sql)
  const subtract = subtractionOf(sql)
  return {
    quarantine: (id, { at, reasons }) =>
      join(
        Effect.gen(function* () {
          const message = yield* first(
            hidden,
            // Unless it is gated, or unlocked and not shown yet, the message was visible.
            sql`UPDATE messages SET quarantined_at = ${at}, quarantine_reasons = ${JSON.stringify(reasons)}, visible = 0
              WHERE id = ${id} AND quarantined_at IS NULL
              RETURNING thread_id AS "threadId", CASE WHEN gate IS NULL THEN 1 ELSE 0 END AS "wasVisible"`,
          )
          if (Option.isNone(message) || !message.value.wasVisible) return
          yield* subtract(yield* moves.current(message.value.threadId))
        }),
      ),
    release: (id) =>
      Effect.map(
        first(
          released,
          sql`UPDATE messages SET quarantined_at = NULL, quarantine_reasons = NULL,
              visible = CASE WHEN gate IS NULL THEN 1 ELSE 0 END
            WHERE id = ${id} AND quarantined_at IS NOT NULL RETURNING visible`,
        ),
        Option.exists(({ visible }) => visible),
      ),
  }
}
