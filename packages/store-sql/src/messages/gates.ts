/**
 * Gated messages: received above an inbound limit, and hidden until the account is unlocked. The account counts how often
 * each gate was unlocked, and a gated message stores that count at its arrival, its generation. A message is gated while
 * its generation is the current count. So unlocking is one update of the account, for any number of messages; a job then
 * updates the rows of the messages in steps (docs/decisions/0044).
 */
import type { SqlClient } from "@effect/sql"
import { type AccountId, InboundGate, MailboxId, type MessageId, ThreadId } from "@mailroom/domain"
import type { MessageStore, ShownMessage } from "@mailroom/engine"
import { Effect, Schema } from "effect"
import { forLists } from "../database/batches.js"
import { Flag } from "../database/columns.js"
import { all, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { INDEXED, Indexed, termIndexOf } from "./terms.js"

/** The column of `accounts` that counts how often each gate was unlocked. */
export const UNLOCKS: Readonly<Record<InboundGate, string>> = {
  INBOUND_LIMIT_EXCEEDED: "cap_unlocks",
  INBOUND_TRIAL_LIMIT_EXCEEDED: "trial_unlocks",
}

/** SQL for how often the gate of a message was unlocked for its account; the parameters are table aliases. */
const unlocksOf = (message: string, account: string): string =>
  `CASE ${message}.gate WHEN 'INBOUND_LIMIT_EXCEEDED' THEN ${account}.${UNLOCKS.INBOUND_LIMIT_EXCEEDED}
    ELSE ${account}.${UNLOCKS.INBOUND_TRIAL_LIMIT_EXCEEDED} END`

/** SQL for the gate of a row of `messages AS alias`: null when the message is unlocked, even if its row is not updated yet. */
export const gateOf = (alias: string): string =>
  `CASE WHEN ${alias}.gate IS NULL THEN NULL
    WHEN ${alias}.gate_generation < (SELECT ${unlocksOf(alias, "a")} FROM accounts AS a WHERE a.id = ${alias}.account_id)
    THEN NULL ELSE ${alias}.gate END`

/**
 * SQL for messages of `messages` that are unlocked and whose rows still have `visible = 0` (docs/decisions/0044).
 * Quarantined messages stay hidden.
 */
export const UNLOCKED = `visible = 0 AND messages.gate IS NOT NULL AND messages.quarantined_at IS NULL
  AND ${gateOf("messages")} IS NULL`

/** Stores the generation of gated messages that were just inserted. Accounts that were never unlocked need no update. */
export const stampGatesOf = (
  sql: SqlClient.SqlClient,
): ((ids: ReadonlyArray<MessageId>) => Effect.Effect<void>) => {
  const unlocks = sql.literal(unlocksOf("messages", "a"))
  return (ids) =>
    forLists(ids, (list) =>
      run(
        sql`UPDATE messages SET gate_generation = ${unlocks} FROM accounts AS a
          WHERE a.id = messages.account_id AND messages.id IN ${sql.in(list)} AND a.cap_unlocks + a.trial_unlocks > 0`,
      ),
    )
}

const gatedCounts = rowsOf(Schema.Struct({ mailboxId: MailboxId, count: Schema.Int }))

/** The number of gated messages in each mailbox of an account, deleted mailboxes included. Reads only an index. */
export const gatedCountsOf =
  (sql: SqlClient.SqlClient) =>
  (accountId: AccountId): Effect.Effect<ReadonlyMap<MailboxId, number>> =>
    Effect.map(
      Effect.forEach(InboundGate.literals, (gate) =>
        all(
          gatedCounts,
          sql`SELECT mailbox_id AS "mailboxId", count(*) AS count FROM messages
            WHERE account_id = ${accountId} AND gate IS NOT NULL AND gate = ${gate}
            AND gate_generation = (SELECT ${sql.literal(UNLOCKS[gate])} FROM accounts WHERE id = ${accountId})
            GROUP BY mailbox_id`,
        ),
      ),
      (found) => {
        const counts = new Map<MailboxId, number>()
        for (const { mailboxId, count } of found.flat())
          counts.set(mailboxId, (counts.get(mailboxId) ?? 0) + count)
        return counts
      },
    )

const shownMessages = rowsOf(Schema.Struct({ ...Indexed.fields, threadId: ThreadId, isQuarantined: Flag }))

/** `MessageStore.unlock` and `MessageStore.showUnlocked` */
export const unlockingOf = (
  sql: SqlClient.SqlClient,
): Pick<MessageStore["Type"], "unlock" | "showUnlocked"> => {
  const { join } = transactionOf(sql)
  const terms = termIndexOf(sql)

  const showOf = (accountId: AccountId, gate: InboundGate, limit: number) =>
    all(
      shownMessages,
      sql`UPDATE messages SET gate = NULL, indexed = 1,
          visible = CASE WHEN status = 'SENDING' OR quarantined_at IS NOT NULL THEN 0 ELSE 1 END
        WHERE id IN (
          SELECT id FROM messages WHERE account_id = ${accountId} AND gate IS NOT NULL AND gate = ${gate}
          AND gate_generation < (SELECT ${sql.literal(UNLOCKS[gate])} FROM accounts WHERE id = ${accountId})
          ORDER BY gate_generation, mailbox_id, created_at, id LIMIT ${limit})
        RETURNING thread_id AS "threadId",
          CASE WHEN quarantined_at IS NULL THEN 0 ELSE 1 END AS "isQuarantined", ${sql.literal(INDEXED)}`,
    )

  return {
    unlock: (accountId, gate) => {
      const raised = (gate === "all" ? InboundGate.literals : [gate])
        .map((one) => `${UNLOCKS[one]} = ${UNLOCKS[one]} + 1`)
        .join(", ")
      return run(sql`UPDATE accounts SET ${sql.literal(raised)} WHERE id = ${accountId}`)
    },
    showUnlocked: (accountId, limit) =>
      join(
        Effect.gen(function* () {
          const shown: Array<Effect.Effect.Success<ReturnType<typeof showOf>>[number]> = []
          for (const gate of InboundGate.literals)
            if (shown.length < limit) shown.push(...(yield* showOf(accountId, gate, limit - shown.length)))
          yield* terms.add(shown)
          return shown
            .sort((a, b) => a.createdAt - b.createdAt)
            .map(({ threadId, createdAt, isQuarantined, source }): ShownMessage => ({
              threadId,
              createdAt,
              isQuarantined,
              content: source,
            }))
        }),
      ),
  }
}
