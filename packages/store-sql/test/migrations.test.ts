/** Migrating a database of the first version: it gets the schema of a new one, and keeps its rows (CONTRIBUTING, Add a migration). */
import { describe, expect, it } from "@effect/vitest"
import { Migrator, SqlClient } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { DAY, KeyId, SuppressionId, ThreadId } from "@mailroom/domain"
import {
  AccountStore,
  ApiKeyStore,
  AttachmentStore,
  CheckoutStore,
  DevelopmentOutbox,
  DomainStore,
  EventStore,
  JobStore,
  MailboxStore,
  MailTokenStore,
  MessageStore,
  RateLimitStore,
  RawMailStore,
  SessionStore,
  SuppressionStore,
  ThreadStore,
  WebhookStore,
} from "@mailroom/engine"
import { temporaryFolder } from "@mailroom/test-services"
import { Effect, Schema, Struct } from "effect"
import { join } from "node:path"
import { dialectOf } from "../src/dialect.js"
import { accountTables } from "../src/migrations/accounts.js"
import { MIGRATIONS_TABLE } from "../src/migrations/index.js"
import { mailTables } from "../src/migrations/mail.js"
import { workTables } from "../src/migrations/work.js"
import { sqliteAt } from "./support/databases.js"
import {
  aDelivery,
  aDomain,
  aMailbox,
  aMessage,
  anAccount,
  anAttachment,
  aQueueEntry,
  aRawMail,
  aThread,
  aWebhook,
  newId,
  NOON,
} from "./support/records.js"

const decodeNames = Schema.decodeUnknown(Schema.Array(Schema.Struct({ name: Schema.String })))

const columnsOf = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* decodeNames(yield* sql`SELECT name FROM pragma_table_info(${table})`)
    return found.map(({ name }) => name)
  })

/** In the order of their creation: a referenced table comes first. */
const tableNames = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* decodeNames(
    yield* sql`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid`,
  )
  return found
    .map(({ name }) => name)
    .filter((name) => name !== MIGRATIONS_TABLE && !name.startsWith("sqlite_"))
})

/** The schema of the first version. */
const initial = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  for (const statement of [...accountTables(dialect), ...mailTables(dialect), ...workTables(dialect)])
    yield* sql.unsafe(statement)
})

const account = anAccount({ plan: "Growth", billingReference: newId(), emailVerifiedAt: NOON })
const free = anAccount()
const accountId = account.id
const domain = aDomain(accountId)
const mailbox = aMailbox(accountId, { domainId: domain.id })
const raw = aRawMail()
const thread = aThread(mailbox)
const message = aMessage(mailbox, { threadId: thread.id, rawId: raw.id })
const attachment = anAttachment(accountId, { mailboxId: mailbox.id, messageId: message.content.id })
const webhook = aWebhook(accountId)
const proof = { hash: newId(), accountId, expiresAt: NOON + DAY }
const token = { ...proof, purpose: "verify-email" } as const
const key = {
  id: KeyId.make(newId()),
  accountId,
  name: "agent",
  prefix: "mr_01234567",
  hash: newId(),
  mailboxIds: [mailbox.id],
  permissions: null,
  revokedAt: null,
  lastUsedAt: null,
  createdAt: NOON,
}
const checkout = {
  tokenHash: newId(),
  accountId,
  plan: "Growth",
  period: "monthly",
  expiresAt: NOON + DAY,
  completedAt: NOON,
} as const
const suppression = {
  id: SuppressionId.make(newId()),
  accountId,
  email: "a@x.org",
  reason: "MANUAL",
  createdAt: NOON,
} as const
const job = { id: newId(), spec: { kind: "send-verification", accountId }, dueAt: NOON + 5 } as const
const captured = { id: newId(), from: "a@x.org", to: ["b@x.org"], raw: new Uint8Array([1]), at: NOON }
const absorbed = ThreadId.make(newId())
const happening = { accountId, mailboxId: mailbox.id, kind: "message.received", envelope: "{}" } as const

/** Rows for every table of the first version. */
const fill = Effect.gen(function* () {
  const accounts = yield* AccountStore
  yield* Effect.forEach([account, free], accounts.insert)
  yield* Effect.flatMap(DomainStore, (store) => store.insert(domain))
  yield* Effect.flatMap(MailboxStore, (store) => store.insert(mailbox))
  const rawMails = yield* RawMailStore
  yield* rawMails.insert([raw])
  yield* rawMails.enqueue([aQueueEntry(raw.id)])
  const threads = yield* ThreadStore
  yield* threads.save([thread, { ...thread, id: absorbed, messageCount: 0 }])
  yield* threads.link([{ mailboxId: mailbox.id, rfcId: "<a@x.org>", threadId: thread.id }])
  yield* threads.absorb(absorbed, thread.id, 100)
  yield* Effect.flatMap(MessageStore, (store) => store.insert([message]))
  yield* Effect.flatMap(AttachmentStore, (store) => store.insert([attachment]))
  const webhooks = yield* WebhookStore
  yield* webhooks.insert(webhook)
  const events = yield* Effect.flatMap(EventStore, (store) =>
    store.append([{ ...happening, happenedAt: NOON, random: 1 }]),
  )
  yield* webhooks.enqueue(events.map((event) => aDelivery(webhook, event)))
  yield* Effect.flatMap(SessionStore, (store) => store.insert(proof))
  yield* Effect.flatMap(MailTokenStore, (store) => store.insert(token))
  yield* Effect.flatMap(ApiKeyStore, (store) => store.insert(key))
  yield* Effect.flatMap(CheckoutStore, (store) => store.insert(checkout))
  yield* Effect.flatMap(SuppressionStore, (store) => store.insert(suppression))
  yield* Effect.flatMap(RateLimitStore, (store) => store.count("signup:192.0.2.7", NOON))
  yield* Effect.flatMap(JobStore, (store) => store.add([job]))
  yield* Effect.flatMap(DevelopmentOutbox, (store) => store.add(captured))
}).pipe(Effect.orDie)

/** Writes a database file of the first version with rows in every table. Returns the names of the tables. */
const firstVersion = (folder: string) =>
  Effect.gen(function* () {
    const [newest, first] = [join(folder, "newest.db"), join(folder, "first.db")]
    yield* Effect.provide(fill, sqliteAt(newest))
    const tables = yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Migrator.make({})({
        loader: Migrator.fromRecord({ "0001_initial": initial }),
        table: MIGRATIONS_TABLE,
      })
      const names = yield* tableNames
      yield* sql`ATTACH DATABASE ${newest} AS newest`
      for (const name of names) {
        const columns = (yield* columnsOf(name)).join(", ")
        yield* sql.unsafe(`INSERT INTO main.${name} (${columns}) SELECT ${columns} FROM newest.${name}`)
        expect([name, yield* sql.unsafe(`SELECT 1 FROM main.${name}`)]).not.toEqual([name, []])
      }
      yield* sql`DETACH DATABASE newest`
      return names
    }).pipe(Effect.provide(SqliteClient.layer({ filename: first })))
    return { filename: first, tables }
  })

describe("a database of the first version", () => {
  it.scoped("is brought to the schema of a new one", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { filename } = yield* firstVersion(folder)
      const schema = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const names = yield* tableNames
        const columns = yield* Effect.forEach(names, columnsOf)
        const indexes = yield* sql`SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name`
        return { names, columns, indexes }
      })
      const fresh = yield* Effect.provide(schema, sqliteAt(join(folder, "fresh.db")))
      expect(yield* Effect.provide(schema, sqliteAt(filename))).toEqual(fresh)
    }),
  )

  it.scoped("keeps every row, and every store reads its own", () =>
    Effect.gen(function* () {
      const { filename, tables } = yield* firstVersion(yield* temporaryFolder)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const name of tables) expect(yield* sql.unsafe(`SELECT 1 FROM ${name}`)).not.toEqual([])

        const accounts = yield* AccountStore
        expect(yield* accounts.lock([accountId, free.id])).toEqual([account, free])
        const domains = yield* DomainStore
        expect(yield* domains.list(accountId)).toMatchObject([
          Struct.pick(domain, "id", "domain", "status", "createdAt", "updatedAt"),
        ])
        const mailboxes = yield* MailboxStore
        expect(yield* mailboxes.list(accountId, null)).toEqual([mailbox])
        const rawMails = yield* RawMailStore
        const terms = {
          lane: "fast",
          through: NOON,
          except: [],
          limits: { mails: 10, bytes: 1_000 },
        } as const
        expect(yield* rawMails.claim({ ...terms, now: NOON, leaseUntil: NOON + 1 })).toMatchObject([
          { raw: { id: raw.id } },
        ])
        const threads = yield* ThreadStore
        expect(yield* Effect.flatten(threads.byId(mailbox.id, absorbed))).toEqual(thread)
        const messages = yield* MessageStore
        expect(yield* Effect.flatten(messages.byId(mailbox.id, message.content.id))).toEqual(message)
        const webhooks = yield* WebhookStore
        expect(yield* webhooks.list(accountId)).toEqual([webhook])
        expect(yield* webhooks.claim(10, NOON, NOON + 1, [])).toEqual([webhook])
        expect(yield* Effect.flatten(webhooks.beginNextAttempt(webhook.id, NOON))).toMatchObject({
          envelope: "{}",
        })
        const events = yield* EventStore
        expect(yield* events.lastSeq(accountId)).toBe(1)
        const sessions = yield* SessionStore
        expect(yield* Effect.flatten(sessions.byHash(proof.hash))).toEqual(proof)
        const tokens = yield* MailTokenStore
        expect(yield* Effect.flatten(tokens.byHash(token.hash, "verify-email"))).toEqual(token)
        const keys = yield* ApiKeyStore
        expect(yield* keys.list(accountId)).toEqual([key])
        const checkouts = yield* CheckoutStore
        expect(yield* Effect.flatten(checkouts.byTokenHash(checkout.tokenHash))).toEqual(checkout)
        const suppressions = yield* SuppressionStore
        expect(yield* Effect.flatten(suppressions.byEmail(accountId, suppression.email))).toEqual(suppression)
        const jobs = yield* JobStore
        // `since` starts at the last due time, because the first version does not store the first one.
        expect(yield* jobs.claim(10, job.dueAt, job.dueAt + 1)).toEqual([
          { ...job, attempts: 1, since: job.dueAt },
        ])
        const outbox = yield* DevelopmentOutbox
        expect(yield* outbox.list({ to: null, limit: 10 })).toMatchObject([{ id: captured.id }])
      }).pipe(Effect.provide(sqliteAt(filename)))
    }),
  )
})
