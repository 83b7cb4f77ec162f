/** A process that makes many accounts through the stores, each a copy of one that exists, with a mailbox that receives. */
import { randomUUID } from "node:crypto"
import { AccountId, MailboxId } from "@mailroom/domain"
import { AccountStore, MailboxStore } from "@mailroom/engine"
import { Array, Data, Effect, Schema } from "effect"
import { storesBeside } from "./harness/stores.js"
import { task } from "./harness/tasks.js"

const Settings = Schema.Struct({
  /** the database of a service that runs: `postgres://…`, or a file */
  database: Schema.String,
  /** the owner's address of the account to copy */
  email: Schema.String,
  accounts: Schema.Int,
  platformDomain: Schema.String,
})

class NoTemplate extends Data.TaggedError("NoTemplate") {}

const LOCAL_PART = "inbound"

task(Settings, async ({ database, email, accounts: count, platformDomain }) => {
  const fill = Effect.gen(function* () {
    const accounts = yield* AccountStore
    const mailboxes = yield* MailboxStore
    const account = yield* Effect.flatten(accounts.byEmail(email))
    const [mailbox] = yield* mailboxes.list(account.id, null)
    if (mailbox === undefined) return yield* new NoTemplate()
    yield* Effect.forEach(Array.range(0, count - 1), (n) => {
      const id = AccountId.make(randomUUID())
      const slug = `many-${String(n).padStart(5, "0")}`
      return Effect.zipRight(
        accounts.insert({ ...account, id, slug, email: `owner@${slug}.example`, billingReference: null }),
        mailboxes.insert({
          ...mailbox,
          id: MailboxId.make(randomUUID()),
          accountId: id,
          localPart: LOCAL_PART,
          fullAddress: `${LOCAL_PART}@${slug}.${platformDomain}`,
          provisioned: true,
        }),
      )
    })
    return { accounts: count }
  })
  return Effect.runPromise(Effect.provide(fill, storesBeside(database)))
})
