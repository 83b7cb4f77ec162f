/** Contract of `AccountRemovalStore` and `ReservedNameStore`: no table keeps a row of a deleted account. */
import { describe, expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { type AccountId, AuditEntryId, DAY, HOUR, KeyId, MailboxId, SuppressionId } from "@mailroom/domain"
import {
  AccountRemovalStore,
  AccountStore,
  AddressListStore,
  ApiKeyStore,
  AttachmentStore,
  AuditStore,
  CheckoutStore,
  ConsumerStore,
  DomainStore,
  DraftStore,
  EventStore,
  IdempotencyStore,
  JobStore,
  MailboxStore,
  MailboxSuppressionStore,
  MailTokenStore,
  MessageStore,
  RawMailStore,
  SearchStore,
  ReservedNameStore,
  SessionStore,
  SignInNetworkStore,
  StreamSlots,
  SuppressionStore,
  ThreadStore,
  Transactions,
  WaitSlots,
  WebhookStore,
} from "@mailroom/engine"
import { Effect, Option, Schema } from "effect"
import type { Database } from "./support/databases.js"
import { documentOf, textOf } from "./support/searchCorpus.js"
import {
  aDelivery,
  aDomain,
  aListEntry,
  aDraft,
  aMailbox,
  aMessage,
  anAttachment,
  aRawMail,
  aThread,
  aWebhook,
  newId,
  NOON,
  storedAccount,
  storedMailbox,
} from "./support/records.js"

const decodeNames = Schema.decodeUnknown(Schema.Array(Schema.Struct({ name: Schema.String })))
const decodeCount = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ count: Schema.NumberFromString })))

/** Every table with an `account_id`, read from the schema. */
const tablesOfAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql.onDialectOrElse({
    pg: () =>
      sql`/* test */ SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'account_id'`,
    orElse: () =>
      sql`/* test */ SELECT m.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
        WHERE m.type = 'table' AND c.name = 'account_id'`,
  })
  return (yield* decodeNames(found)).map(({ name }) => name).sort()
})

/** The tables that hold rows of an account. */
const tablesWith = (id: AccountId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* Effect.filter(yield* tablesOfAccounts, (table) =>
      sql`/* test */ SELECT CAST(count(*) AS TEXT) AS count FROM ${sql(table)} WHERE account_id = ${id}`.pipe(
        Effect.flatMap(decodeCount),
        Effect.map(([{ count }]) => count > 0),
      ),
    )
  })

/** Inserts rows into every table, and returns the blobs. */
const fill = (accountId: AccountId) =>
  Effect.gen(function* () {
    const mailboxes = yield* MailboxStore
    const blobs: Array<string> = []
    for (let made = 0; made < 2; made++) {
      const mailbox = aMailbox(accountId)
      yield* mailboxes.insert(mailbox)
      const threads = Array.from({ length: 5 }, () => aThread(mailbox))
      const raws = threads.map(({ id }) =>
        aRawMail({ content: { kind: "blob", key: `raw/${id}`, sizeBytes: 70_000 } }),
      )
      const messages = threads.map((thread, index) =>
        aMessage(mailbox, { threadId: thread.id, rawId: raws[index]?.id ?? null }),
      )
      const files = messages.map(({ content }) =>
        anAttachment(accountId, { mailboxId: mailbox.id, messageId: content.id }),
      )
      yield* Effect.flatMap(RawMailStore, (store) => store.insert(raws))
      yield* Effect.flatMap(ThreadStore, (store) => store.save(threads))
      yield* Effect.flatMap(MessageStore, (store) => store.insert(messages))
      const search = yield* SearchStore
      yield* search.takeWriter(NOON, NOON + DAY)
      yield* search.add(messages.slice(0, 2).map((message) => documentOf(textOf(message))))
      const uploads = [anAttachment(accountId), anAttachment(accountId)]
      const draft = aDraft(mailbox)
      yield* Effect.flatMap(DraftStore, (store) => store.insert(draft))
      const kept = anAttachment(accountId, { mailboxId: mailbox.id, draftId: draft.id })
      const stored = [...files, ...uploads, kept]
      yield* Effect.flatMap(AttachmentStore, (store) => store.insert(stored))
      blobs.push(...threads.map(({ id }) => `raw/${id}`), ...stored.map((one) => one.blobKey))

      const webhooks = yield* WebhookStore
      const events = yield* EventStore
      const webhook = aWebhook(accountId)
      yield* webhooks.insert(webhook)
      const happened = yield* events.append(
        messages.map(({ content }, random) => ({
          accountId,
          mailboxId: content.mailboxId,
          kind: "message.received" as const,
          envelope: "{}",
          happenedAt: NOON,
          random,
        })),
      )
      yield* webhooks.enqueue(happened.map((event) => aDelivery(webhook, event)))
    }
    const consumers = yield* ConsumerStore
    const { run } = yield* Transactions
    const consumer = { accountId, name: "worker" }
    yield* consumers.add(consumer, 0, NOON)
    yield* run(consumers.take(consumer, [1, 2, 3], NOON + DAY))
    const proof = { hash: newId(), accountId, expiresAt: NOON }
    yield* Effect.flatMap(SessionStore, (store) => store.insert(proof))
    yield* Effect.flatMap(SignInNetworkStore, (store) => store.remember(accountId, "home", NOON))
    yield* Effect.flatMap(MailTokenStore, (store) => store.insert({ ...proof, purpose: "verify-email" }))
    yield* Effect.flatMap(ApiKeyStore, (store) =>
      store.insert({
        id: KeyId.make(newId()),
        accountId,
        name: "agent",
        prefix: "mr_01234567",
        hash: newId(),
        mailboxIds: null,
        permissions: null,
        revokedAt: null,
        lastUsedAt: null,
        createdAt: NOON,
      }),
    )
    yield* Effect.flatMap(AuditStore, (store) =>
      store.insert({
        id: AuditEntryId.make(newId()),
        accountId,
        action: "key.created",
        actorKind: "session",
        actorId: null,
        target: null,
        detail: {},
        createdAt: NOON,
      }),
    )
    yield* Effect.flatMap(CheckoutStore, (store) =>
      store.insert({
        tokenHash: newId(),
        accountId,
        plan: "Growth",
        period: "monthly",
        expiresAt: NOON,
        completedAt: null,
      }),
    )
    yield* Effect.flatMap(DomainStore, (store) => store.insert(aDomain(accountId)))
    yield* Effect.flatMap(AddressListStore, (store) => store.insert(aListEntry({ accountId })))
    yield* Effect.flatMap(SuppressionStore, (store) =>
      store.insert({
        id: SuppressionId.make(newId()),
        accountId,
        email: "a@x.org",
        reason: "MANUAL",
        createdAt: NOON,
      }),
    )
    yield* Effect.flatMap(MailboxSuppressionStore, (store) =>
      store.insert({
        id: SuppressionId.make(newId()),
        accountId,
        mailboxId: MailboxId.make(newId()),
        email: "b@x.org",
        reason: "MANUAL",
        createdAt: NOON,
      }),
    )
    yield* Effect.flatMap(IdempotencyStore, (store) =>
      store.claim(
        { accountId, id: newId(), leaseUntil: NOON + DAY },
        { fingerprint: newId(), expiresAt: NOON + DAY, now: NOON },
      ),
    )
    yield* Effect.flatMap(StreamSlots, (store) => store.take(accountId, 5, []))
    yield* Effect.flatMap(WaitSlots, (store) => store.take(accountId, 20, []))
    yield* Effect.flatMap(JobStore, (store) =>
      store.add([{ id: newId(), spec: { kind: "send-welcome", accountId }, dueAt: NOON + DAY }]),
    )
    return blobs
  })

/** Purges to the end. Returns the number of steps and the blobs. */
const purgeAll = (id: AccountId, limit: number) =>
  Effect.gen(function* () {
    const store = yield* AccountRemovalStore
    const blobs: Array<string> = []
    for (let steps = 1; ; steps++) {
      const { blobKeys, done } = yield* store.purge(id, limit)
      blobs.push(...blobKeys)
      if (done) return { steps, blobs }
    }
  })

export const removalContract = (name: string, database: Database) =>
  describe(`${name}: removing accounts`, () => {
    layer(database)((it) => {
      it.effect("removes all rows of an account from every table, and returns every blob", () =>
        Effect.gen(function* () {
          const { retire, purge } = yield* AccountRemovalStore
          const accounts = yield* AccountStore
          const [{ id }, { id: other }] = [yield* storedAccount, yield* storedAccount]
          const blobs = yield* fill(id)
          yield* fill(other)
          expect(yield* tablesWith(id)).toEqual(yield* tablesOfAccounts)

          yield* retire(id, NOON)
          const purged = yield* purgeAll(id, 2)
          expect(purged.blobs.sort()).toEqual(blobs.sort())
          // 10 messages, 10 deliveries, 10 events and 4 uploads, at most two in each step.
          expect(purged.steps).toBeGreaterThan(17)
          expect(yield* tablesWith(id)).toEqual([])
          const sql = yield* SqlClient.SqlClient
          expect(yield* sql`/* test */ SELECT id FROM accounts WHERE id = ${id}`).toEqual([])

          expect(yield* tablesWith(other)).toEqual(yield* tablesOfAccounts)
          expect(Option.isSome(yield* accounts.byId(other))).toBe(true)
          expect(yield* purge(id, 2)).toEqual({ done: true, blobKeys: [] })
        }),
      )

      it.effect("removes nothing of an account that is not retired", () =>
        Effect.gen(function* () {
          const { purge } = yield* AccountRemovalStore
          const { id } = yield* storedAccount
          yield* fill(id)
          expect(yield* purge(id, 100)).toEqual({ done: true, blobKeys: [] })
          expect(yield* tablesWith(id)).toEqual(yield* tablesOfAccounts)
        }),
      )

      it.effect("retires an account: no lookup finds it, and its email and slug stay in use", () =>
        Effect.gen(function* () {
          const { retire } = yield* AccountRemovalStore
          const accounts = yield* AccountStore
          const [account, other] = [yield* storedAccount, yield* storedAccount]
          yield* retire(account.id, NOON)
          expect(yield* accounts.byId(account.id)).toEqual(Option.none())
          expect(yield* accounts.byEmail(account.email)).toEqual(Option.none())
          expect(yield* accounts.lock([account.id, other.id])).toEqual([other])
          expect(yield* accounts.slugTaken(account.slug)).toBe(true)
          const again = { ...other, id: yield* Effect.map(storedAccount, ({ id }) => id), slug: newId() }
          expect(yield* Effect.flip(accounts.insert({ ...again, email: account.email }))).toMatchObject({
            what: "email",
          })
        }),
      )

      it.effect("retires its mailboxes and webhooks: no mail is accepted, no delivery is due", () =>
        Effect.gen(function* () {
          const { retire } = yield* AccountRemovalStore
          const mailboxes = yield* MailboxStore
          const webhooks = yield* WebhookStore
          const events = yield* EventStore
          const [mailbox, other] = [yield* storedMailbox, yield* storedMailbox]
          const early = NOON - 30 * DAY
          const made = yield* Effect.forEach([mailbox, other], ({ accountId, id }) =>
            Effect.gen(function* () {
              const webhook = aWebhook(accountId)
              yield* webhooks.insert(webhook)
              const [event] = yield* events.append([
                {
                  accountId,
                  mailboxId: id,
                  kind: "message.received",
                  envelope: "{}",
                  happenedAt: early,
                  random: 1,
                },
              ])
              if (event !== undefined) yield* webhooks.enqueue([aDelivery(webhook, event, { dueAt: early })])
              return webhook
            }),
          )
          yield* retire(mailbox.accountId, NOON)
          const known = yield* mailboxes.recipients([mailbox.fullAddress, other.fullAddress])
          expect(known.map(({ fullAddress }) => fullAddress)).toEqual([other.fullAddress])
          const claimed = yield* webhooks.claim(1000, early, NOON, [])
          expect(claimed.map(({ id }) => id)).toEqual([made[1]?.id])
        }),
      )

      it.effect("retires its domains: they have no owner, and are not checked", () =>
        Effect.gen(function* () {
          const { retire } = yield* AccountRemovalStore
          const domains = yield* DomainStore
          const [account, other] = [yield* storedAccount, yield* storedAccount]
          const verified = aDomain(account.id, { status: "VERIFIED", nextCheckAt: NOON - 30 * DAY })
          yield* domains.insert(verified)
          expect(yield* domains.isTaken(other.id, verified.domain)).toBe(true)
          yield* retire(account.id, NOON)
          expect(yield* domains.isTaken(other.id, verified.domain)).toBe(false)
          expect(yield* domains.claim(10, NOON - 30 * DAY, NOON, [])).toEqual([])
        }),
      )

      it.effect("reserves names until they expire, and longer when they are reserved again", () =>
        Effect.gen(function* () {
          const { isReserved, reserve } = yield* ReservedNameStore
          yield* reserve(["a", "b"], NOON)
          expect(yield* isReserved("a", NOON - 1)).toBe(true)
          expect(yield* isReserved("a", NOON)).toBe(false)
          expect(yield* isReserved("c", NOON - 1)).toBe(false)
          yield* reserve(["a"], NOON + HOUR)
          expect(yield* isReserved("a", NOON)).toBe(true)
          expect(yield* isReserved("b", NOON)).toBe(false)
        }),
      )

      it.effect("removes expired names, a few at a time", () =>
        Effect.gen(function* () {
          const { isReserved, removeExpired, reserve } = yield* ReservedNameStore
          const early = NOON - 30 * DAY
          yield* reserve(["d", "e", "f"], early)
          yield* reserve(["g"], early + 1)
          expect(yield* Effect.replicateEffect(removeExpired(early, 2), 3)).toEqual([2, 1, 0])
          expect(yield* isReserved("d", early - 1)).toBe(false)
          expect(yield* isReserved("g", early)).toBe(true)
        }),
      )
    })
  })
