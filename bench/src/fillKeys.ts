/** A process that puts accounts with a key each into a database of a service that runs: signing up hashes a password. */
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { AccountId, KEY_PREFIX, KEY_SHOWN_LENGTH, KeyId } from "@mailroom/domain"
import { AccountStore, ApiKeyStore, Transactions } from "@mailroom/engine"
import { Effect, Schema } from "effect"
import { anAccount } from "./harness/records.js"
import { storesBeside } from "./harness/stores.js"
import { task } from "./harness/tasks.js"

const Settings = Schema.Struct({
  /** a SQLite file, or the address of a Postgres database */
  database: Schema.String,
  accounts: Schema.Int,
})

/** Accounts of one transaction. */
const BATCH = 200

const addAccount = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const keys = yield* ApiKeyStore
  const id = AccountId.make(randomUUID())
  const key = `${KEY_PREFIX}${randomBytes(32).toString("hex")}`
  const createdAt = Date.now()
  yield* accounts.insert({ ...anAccount(id, createdAt), emailVerifiedAt: createdAt })
  yield* keys.insert({
    id: KeyId.make(randomUUID()),
    accountId: id,
    name: "bench",
    prefix: key.slice(0, KEY_SHOWN_LENGTH),
    hash: createHash("sha256").update(key).digest("hex"),
    mailboxIds: null,
    permissions: null,
    revokedAt: null,
    lastUsedAt: null,
    createdAt,
  })
  return key
})

task(Settings, async ({ database, accounts }) => {
  const fill = Effect.gen(function* () {
    const { run } = yield* Transactions
    const keys: Array<string> = []
    while (keys.length < accounts)
      keys.push(...(yield* run(Effect.replicateEffect(addAccount, Math.min(BATCH, accounts - keys.length)))))
    return keys
  })
  return { keys: await Effect.runPromise(Effect.provide(fill, storesBeside(database))) }
})
