/** The invariants that hold after each race. */
import { EVENT_RETENTION, HOUR, plans } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import type { Look } from "@mailroom/test-services"
import { Clock, Effect, TestClock } from "effect"
import { blobKeys } from "../support/blobs.js"
import { correctedCounts } from "../support/integrity.js"
import { FILLS } from "./scene.js"

/** Tables whose rows go with their account. */
const OWNED = [
  "address_list_entries",
  "api_keys",
  "attachments",
  "checkouts",
  "consumer_events",
  "consumers",
  "domains",
  "drafts",
  "events",
  "idempotency_keys",
  "mail_tokens",
  "mailbox_suppressions",
  "mailboxes",
  "messages",
  "search_queue",
  "search_segments",
  "sessions",
  "sign_in_networks",
  "suppressions",
  "threads",
  "webhook_deliveries",
  "webhooks",
]

/** Each query finds rows that violate an invariant. `$1`: the time from which on events are kept. */
const violations: Readonly<Record<string, string>> = {
  "a message without the one event of its kind": `
    SELECT m.id, m.direction, count(e.id) AS events FROM messages m LEFT JOIN events e
      ON e.account_id = m.account_id AND e.envelope::json -> 'data' ->> 'message_id' = m.id
      AND e.kind = CASE m.direction WHEN 'INBOUND' THEN 'message.received' ELSE 'message.sent' END
    WHERE m.created_at > $1 AND (m.direction = 'INBOUND' OR m.status = 'SENT')
    GROUP BY m.id HAVING count(e.id) <> 1`,
  "an event that is told twice": `
    SELECT account_id, kind, envelope::json ->> 'data' AS data FROM events
    WHERE created_at > $1 AND kind IN ('message.received', 'message.sent')
    GROUP BY account_id, kind, envelope::json -> 'data' ->> 'message_id', envelope::json ->> 'data'
    HAVING count(*) > 1`,
  "a change of a takeover that is told twice": `
    SELECT account_id FROM events WHERE created_at > $1 AND kind IN ('thread.taken_over', 'thread.released')
    GROUP BY account_id
    HAVING sum(CASE kind WHEN 'thread.taken_over' THEN 1 ELSE -1 END) NOT IN (0, 1)`,
  "a deadlock": `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database() AND deadlocks > 0 AND $1::bigint > 0`,
  "a send that never ends": `SELECT id FROM messages WHERE created_at > $1 AND status = 'SENDING'`,
  "mail that is never delivered": `SELECT id FROM inbound_queue WHERE created_at > $1`,
  "a message of a mailbox that is gone": `
    SELECT m.id FROM messages m WHERE created_at > $1 AND NOT EXISTS (SELECT FROM mailboxes WHERE id = m.mailbox_id)`,
  "a draft of a mailbox that is gone": `
    SELECT d.id FROM drafts d WHERE created_at > $1 AND NOT EXISTS (SELECT FROM mailboxes WHERE id = d.mailbox_id)`,
  "a file of a draft that is gone": `
    SELECT a.id FROM attachments a WHERE created_at > $1 AND draft_id IS NOT NULL
      AND (message_id IS NOT NULL OR NOT EXISTS (SELECT FROM drafts WHERE id = a.draft_id))`,
  "a draft and its message": `
    SELECT d.id FROM drafts d JOIN messages m ON m.id = d.id WHERE d.created_at > $1`,
  "a message of a thread that is gone": `
    SELECT m.id FROM messages m WHERE created_at > $1 AND NOT EXISTS (SELECT FROM threads WHERE id = m.thread_id)`,
  "a thread of a mailbox that is gone": `
    SELECT t.id FROM threads t WHERE created_at > $1 AND NOT EXISTS (SELECT FROM mailboxes WHERE id = t.mailbox_id)`,
  "a suppression of a mailbox that is gone": `
    SELECT s.id FROM mailbox_suppressions s WHERE created_at > $1
      AND NOT EXISTS (SELECT FROM mailboxes WHERE id = s.mailbox_id)`,
  "counters of a mailbox that is gone": `
    SELECT c.owner_id FROM mail_counts c WHERE c.at > $1::bigint - 86400000
      AND NOT EXISTS (SELECT FROM mailboxes WHERE id = c.owner_id)
      AND NOT EXISTS (SELECT FROM accounts WHERE id = c.owner_id)`,
  // A send to the simulator counts no recipient, so it has the number of the send before it.
  "a send without the number of the window": `
    SELECT w.mailbox_id FROM sending_windows w JOIN messages m ON m.mailbox_id = w.mailbox_id
    WHERE m.created_at > $1 AND m.listing NOT LIKE '%@simulator.%' GROUP BY w.mailbox_id, w.sends
    HAVING max(m.send_number) > w.sends OR count(m.send_number) <> count(DISTINCT m.send_number)`,
  "a link to a thread that is gone": `
    SELECT l.rfc_id FROM thread_links l WHERE $1::bigint > 0 AND NOT EXISTS (SELECT FROM threads WHERE id = l.thread_id)`,
  // Once each, by their keys. A message that changed is in both.
  "a message that is neither indexed nor queued": `
    SELECT m.id FROM messages m WHERE created_at > $1
      AND NOT EXISTS (SELECT FROM search_documents WHERE message_id = m.id)
      AND NOT EXISTS (SELECT FROM search_queue WHERE message_id = m.id)`,
  "a kept text that search does not find": `
    SELECT t.attachment_id FROM attachment_texts t JOIN attachments a ON a.id = t.attachment_id
      JOIN search_documents d ON d.message_id = a.message_id WHERE a.created_at > $1 AND t.kind = 'text'
      AND NOT EXISTS (SELECT FROM unnest(d.tokens) AS word WHERE word.lexeme LIKE '%¦')
      AND NOT EXISTS (SELECT FROM search_queue WHERE message_id = a.message_id)`,
  "an indexed message that is gone": `
    SELECT message_id FROM search_documents d WHERE $1::bigint > 0
      AND NOT EXISTS (SELECT FROM messages WHERE id = d.message_id)`,
  "a queued message that is gone": `
    SELECT message_id FROM search_queue q WHERE $1::bigint > 0
      AND NOT EXISTS (SELECT FROM messages WHERE id = q.message_id)`,
  "raw mail that nothing names": `
    SELECT r.id FROM raw_mails r WHERE created_at > $1 AND NOT EXISTS (SELECT FROM messages WHERE raw_id = r.id)`,
  "more mailboxes than the plan has": `
    SELECT a.id FROM accounts a WHERE a.created_at > $1
      AND (SELECT count(*) FROM mailboxes WHERE account_id = a.id)
        > CASE a.plan ${Object.entries(plans)
          .map(([plan, { mailboxes }]) => `WHEN '${plan}' THEN ${mailboxes}`)
          .join(" ")} END`,
  "more sends than the plan has for a day": `
    SELECT m.id FROM mailboxes m JOIN accounts a ON a.id = m.account_id WHERE m.created_at > $1
      AND m.sent_day_count > CASE a.plan ${Object.entries(plans)
        .map(([plan, { sendsPerDay }]) => `WHEN '${plan}' THEN ${sendsPerDay}`)
        .join(" ")} END`,
  "files in the place of one": `
    SELECT account_id FROM attachments WHERE created_at > $1 AND filename LIKE '${FILLS}%'
    GROUP BY account_id HAVING count(*) > 1`,
  ...Object.fromEntries(
    OWNED.map((table) => [
      `a row of an account that is gone, in ${table}`,
      `SELECT account_id FROM ${table} t
        WHERE $1::bigint > 0 AND NOT EXISTS (SELECT FROM accounts WHERE id = t.account_id)`,
    ]),
  ),
}

/** Longer than a blob without a row stays, and than each lease and each delay between attempts. */
const LATER = 3 * HOUR

/** Lets the workers finish, and returns the violations. */
export const faultsLeft = (look: Look) =>
  Effect.gen(function* () {
    yield* Engine.settle
    yield* TestClock.adjust(LATER)
    yield* Engine.settle
    const drifts = yield* correctedCounts
    const since = (yield* Clock.currentTimeMillis) - EVENT_RETENTION
    const found = yield* Effect.forEach(Object.entries(violations), ([what, query]) =>
      Effect.map(look(query, [since]), (rows) => rows.map((row) => `${what}: ${JSON.stringify(row)}`)),
    )
    const named = yield* look("SELECT blob_key FROM attachments UNION SELECT blob_key FROM raw_mails")
    const names = new Set(named.map((row) => row["blob_key"]))
    const unnamed = (yield* blobKeys).filter((key) => !names.has(key))
    return [
      ...drifts.map((drift) => `a count that is wrong: ${JSON.stringify(drift)}`),
      ...found.flat(),
      ...unnamed.map((key) => `a blob without a row: ${key}`),
    ]
  })
