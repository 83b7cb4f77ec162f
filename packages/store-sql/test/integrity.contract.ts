/** Contract of `IntegrityStore`: finds stored counts that differ from their rows, and corrects them. */
import { describe, expect, layer } from "@effect/vitest"
import { SqlClient, type Statement } from "@effect/sql"
import {
  AccountStore,
  AttachmentStore,
  EventStore,
  IntegrityCheck,
  IntegrityStore,
  MailboxStore,
  MessageStore,
  ThreadStore,
  WebhookStore,
} from "@mailroom/engine"
import { Effect } from "effect"
import type { Database } from "./support/databases.js"
import {
  aDelivery,
  aMailbox,
  aMessage,
  anAccount,
  anAttachment,
  aThread,
  aWebhook,
  NOON,
} from "./support/records.js"

/** An account whose stored counts all equal their rows. */
const honest = Effect.gen(function* () {
  const account = anAccount({ overLimitCount: 2, storageUsedBytes: 300 })
  yield* Effect.flatMap(AccountStore, (store) => store.insert(account))
  const mailbox = aMailbox(account.id, { overLimitCount: 2 })
  yield* Effect.flatMap(MailboxStore, (store) => store.insert(mailbox))
  const thread = aThread(mailbox, { messageCount: 2, lastMessageAt: NOON + 5 })
  const hidden = aThread(mailbox, { messageCount: 0 })
  yield* Effect.flatMap(ThreadStore, (store) => store.save([thread, hidden]))
  const message = aMessage(mailbox, { threadId: thread.id, createdAt: NOON + 5 })
  yield* Effect.flatMap(MessageStore, (store) =>
    store.insert([
      message,
      aMessage(mailbox, { threadId: thread.id }),
      aMessage(mailbox, { threadId: thread.id, createdAt: NOON + 9, gate: "INBOUND_LIMIT_EXCEEDED" }),
      aMessage(mailbox, { threadId: hidden.id, gate: "INBOUND_TRIAL_LIMIT_EXCEEDED" }),
    ]),
  )
  const file = anAttachment(account.id, {
    mailboxId: mailbox.id,
    messageId: message.content.id,
    sizeBytes: 200,
  })
  const upload = anAttachment(account.id)
  yield* Effect.flatMap(AttachmentStore, (store) => store.insert([file, upload]))
  const events = yield* Effect.flatMap(EventStore, (store) =>
    store.append(
      [0, 1, 2].map((random) => ({
        accountId: account.id,
        mailboxId: mailbox.id,
        kind: "message.received" as const,
        envelope: "{}",
        happenedAt: NOON,
        random,
      })),
    ),
  )
  const webhook = aWebhook(account.id)
  yield* Effect.flatMap(WebhookStore, (store) =>
    Effect.zipRight(
      store.insert(webhook),
      store.enqueue(events.map((event, index) => aDelivery(webhook, event, { dueAt: NOON + 60 + index }))),
    ),
  )
  return { account, mailbox, thread, file, webhook }
})

const differing = (check: IntegrityCheck) =>
  Effect.map(
    Effect.flatMap(IntegrityStore, (store) => store.compare(check, "", 100)),
    (compared) => compared.filter(({ stored, counted }) => stored !== counted),
  )

const allDiffering = Effect.map(Effect.forEach(IntegrityCheck.literals, differing), (found) => found.flat())

type Honest = Effect.Effect.Success<typeof honest>

interface Case {
  readonly check: IntegrityCheck
  readonly damage: (sql: SqlClient.SqlClient, of: Honest) => Statement.Statement<object>
  readonly id: (of: Honest) => string
  readonly stored: number | null
  readonly counted: number
}

const cases: ReadonlyArray<Case> = [
  {
    check: "thread-messages",
    damage: (sql, { thread }) => sql`UPDATE threads SET message_count = 7 WHERE id = ${thread.id}`,
    id: ({ thread }) => thread.id,
    stored: 7,
    counted: 2,
  },
  {
    check: "thread-activity",
    damage: (sql, { thread }) => sql`UPDATE threads SET last_message_at = ${NOON} WHERE id = ${thread.id}`,
    id: ({ thread }) => thread.id,
    stored: NOON,
    counted: NOON + 5,
  },
  {
    check: "attachment-message",
    damage: (sql, { file }) => sql`UPDATE attachments SET message_id = 'gone' WHERE id = ${file.id}`,
    id: ({ file }) => file.id,
    stored: 1,
    counted: 0,
  },
  {
    check: "mailbox-gated",
    damage: (sql, { mailbox }) => sql`UPDATE mailboxes SET over_limit_count = 0 WHERE id = ${mailbox.id}`,
    id: ({ mailbox }) => mailbox.id,
    stored: 0,
    counted: 2,
  },
  {
    check: "account-gated",
    damage: (sql, { account }) => sql`UPDATE accounts SET over_limit_count = 1 WHERE id = ${account.id}`,
    id: ({ account }) => account.id,
    stored: 1,
    counted: 2,
  },
  {
    check: "account-storage",
    damage: (sql, { account }) => sql`UPDATE accounts SET storage_used_bytes = 0 WHERE id = ${account.id}`,
    id: ({ account }) => account.id,
    stored: 0,
    counted: 300,
  },
  {
    check: "account-lists",
    damage: (sql, { account }) => sql`UPDATE accounts SET list_entry_count = 2 WHERE id = ${account.id}`,
    id: ({ account }) => account.id,
    stored: 2,
    counted: 0,
  },
  {
    check: "account-events",
    damage: (sql, { account }) => sql`UPDATE accounts SET event_seq = 2 WHERE id = ${account.id}`,
    id: ({ account }) => account.id,
    stored: 2,
    counted: 3,
  },
  {
    check: "webhook-due",
    damage: (sql, { webhook }) => sql`UPDATE webhooks SET next_due_at = NULL WHERE id = ${webhook.id}`,
    id: ({ webhook }) => webhook.id,
    stored: null,
    counted: NOON + 60,
  },
  {
    check: "webhook-due",
    damage: (sql, { webhook }) =>
      sql`UPDATE webhooks SET next_due_at = ${NOON + 61} WHERE id = ${webhook.id}`,
    id: ({ webhook }) => webhook.id,
    stored: NOON + 61,
    counted: NOON + 60,
  },
]

export const integrityContract = (name: string, database: Database) =>
  describe(`${name}: comparing counts with their rows`, () => {
    layer(database)((it) => {
      it.effect(
        "finds nothing when all counts are right, also while threads move and unlocked messages are still hidden",
        () =>
          Effect.gen(function* () {
            const { account, mailbox, thread } = yield* honest
            expect(yield* allDiffering).toEqual([])
            const threads = yield* ThreadStore
            const other = aThread(mailbox, { lastMessageAt: NOON })
            yield* threads.save([other])
            yield* Effect.flatMap(MessageStore, (store) =>
              store.insert([aMessage(mailbox, { threadId: other.id })]),
            )
            yield* threads.absorb(thread.id, other.id, 0)
            expect(yield* allDiffering).toEqual([])
            while (!(yield* threads.move(thread.id, 1))) expect(yield* allDiffering).toEqual([])
            expect(yield* allDiffering).toEqual([])
            yield* Effect.flatMap(MessageStore, (store) => store.unlock(account.id, "all"))
            yield* Effect.flatMap(MailboxStore, (store) => store.recountGated(account.id))
            yield* Effect.flatMap(AccountStore, (store) => store.save({ ...account, overLimitCount: 0 }))
            expect(yield* allDiffering).toEqual([])
          }),
      )

      for (const { check, damage, id, stored, counted } of cases)
        it.effect(`finds and corrects ${check}, ${stored} instead of ${counted}`, () =>
          Effect.gen(function* () {
            const store = yield* IntegrityStore
            const sql = yield* SqlClient.SqlClient
            const other = yield* honest
            const of = yield* honest
            yield* damage(sql, of)
            const found = { id: id(of), accountId: of.account.id, stored, counted }
            expect(yield* differing(check)).toEqual([found])
            expect(yield* store.mend(check, id(other))).toEqual({ found: null, blobKeys: [] })
            const blobKeys = check === "attachment-message" ? [of.file.blobKey] : []
            expect(yield* store.mend(check, id(of))).toEqual({ found, blobKeys })
            expect(yield* store.mend(check, id(of))).toEqual({ found: null, blobKeys: [] })
            // The bytes of the removed attachment are still counted.
            const left = check === "attachment-message" ? yield* differing("account-storage") : []
            for (const storage of left) yield* store.mend("account-storage", storage.id)
            expect(yield* allDiffering).toEqual([])
          }),
        )

      it.effect("compares up to a limit, in the order of ids", () =>
        Effect.gen(function* () {
          const store = yield* IntegrityStore
          const { mailbox } = yield* honest
          const mailboxes = yield* MailboxStore
          const more = [aMailbox(mailbox.accountId), aMailbox(mailbox.accountId), aMailbox(mailbox.accountId)]
          for (const one of more) yield* mailboxes.insert(one)
          const idsAfter = (after: string, limit: number) =>
            Effect.map(store.compare("mailbox-gated", after, limit), (compared) =>
              compared.map(({ id }) => id),
            )
          const [first, second, third] = more.map(({ id }) => id)
          expect(yield* idsAfter(mailbox.id, 2)).toEqual([first, second])
          expect(yield* idsAfter(second ?? "", 2)).toEqual([third])
        }),
      )
    })
  })
