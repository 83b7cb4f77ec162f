/**
 * Gated messages. A message carries a generation: how often its gate had been unlocked for its account when it arrived.
 * Unlocking raises the account's number, so it costs the same for any number of messages; the rows follow in steps
 * (docs/decisions/0044).
 */
import type { SqlClient } from "@effect/sql"
import {
  type AccountId,
  InboundGate,
  Instant,
  MailboxId,
  MessageContent,
  type MessageId,
  ThreadId,
} from "@mailroom/domain"
import type { MessageStore, ShownMessage } from "@mailroom/engine"
import { Effect, Schema } from "effect"
import { forLists } from "../database/batches.js"
import { JsonText } from "../database/columns.js"
import { all, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"

/** The column of `accounts` that counts how often each gate was unlocked. */
export const UNLOCKS: Readonly<Record<InboundGate, string>> = {
  INBOUND_LIMIT_EXCEEDED: "cap_unlocks",
  INBOUND_TRIAL_LIMIT_EXCEEDED: "trial_unlocks",
}

/** How often the gate of `message` was unlocked for `account`; both are names of tables in the statement. */
const unlocksOf = (message: string, account: string): string =>
  `CASE ${message}.gate WHEN 'INBOUND_LIMIT_EXCEEDED' THEN ${account}.${UNLOCKS.INBOUND_LIMIT_EXCEEDED}
    ELSE ${account}.${UNLOCKS.INBOUND_TRIAL_LIMIT_EXCEEDED} END`

/** SQL for the gate of a row of `messages AS alias`; null when the message is unlocked, though its row may still say otherwise. */
export const gateOf = (alias: string): string =>
  `CASE WHEN ${alias}.gate IS NULL THEN NULL
    WHEN ${alias}.gate_generation < (SELECT ${unlocksOf(alias, "a")} FROM accounts AS a WHERE a.id = ${alias}.account_id)
    THEN NULL ELSE ${alias}.gate END`

/** Writes the generation of gated messages that were just inserted. Accounts that never unlocked any are at 0, the default. */
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

/** How many gated messages each mailbox of an account has, deleted mailboxes included; reads the index alone. */
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

const { subject, fromAddress, toAddresses, ccAddresses } = MessageContent.fields
const shownMessages = rowsOf(
  Schema.Struct({
    threadId: ThreadId,
    createdAt: Instant,
    content: JsonText(Schema.Struct({ subject, fromAddress, toAddresses, ccAddresses })),
  }),
)

/** `MessageStore.unlock` and `MessageStore.showUnlocked` */
export const unlockingOf = (
  sql: SqlClient.SqlClient,
): Pick<MessageStore["Type"], "unlock" | "showUnlocked"> => {
  const { join } = transactionOf(sql)

  const showOf = (accountId: AccountId, gate: InboundGate, limit: number) =>
    all(
      shownMessages,
      sql`UPDATE messages SET gate = NULL, visible = CASE WHEN status = 'SENDING' THEN 0 ELSE 1 END
        WHERE id IN (
          SELECT id FROM messages WHERE account_id = ${accountId} AND gate IS NOT NULL AND gate = ${gate}
          AND gate_generation < (SELECT ${sql.literal(UNLOCKS[gate])} FROM accounts WHERE id = ${accountId})
          ORDER BY gate_generation, mailbox_id, created_at, id LIMIT ${limit})
        RETURNING thread_id AS "threadId", created_at AS "createdAt", listing AS content`,
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
          const shown: Array<ShownMessage> = []
          for (const gate of InboundGate.literals)
            if (shown.length < limit) shown.push(...(yield* showOf(accountId, gate, limit - shown.length)))
          return shown.sort((a, b) => a.createdAt - b.createdAt)
        }),
      ),
  }
}
