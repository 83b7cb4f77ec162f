/** Filtered lists and changes of threads beyond the rows `lists.*`: old messages, long threads. */
import { describe, expect } from "@effect/vitest"
import { anyMessage, LABELS_MAX, type MessageFilter } from "@mailroom/domain"
import { Engine, Jobs, Lists, MessageChanges, Retention } from "@mailroom/engine"
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { accepted, aMail, received } from "./support/arrivals.js"
import { ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying } from "./support/owners.js"
import { arrival, itemsOf, newest, subjectsOf } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { readableStores } from "./support/tables.js"

const rule = ruleWith(readableStores)

const found = (owner: Owner, over: Partial<MessageFilter>) =>
  Effect.gen(function* () {
    const lists = yield* Lists
    const filter = { ...anyMessage, ...over }
    const query = { filter, order: "desc", after: null, limit: 100 } as const
    const { page } = yield* lists.messages(yield* as(owner), query)
    return itemsOf(page.items)
  })

/** Makes the stored messages those of a version without terms. */
const forgetTerms = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE messages SET indexed = 0`
  yield* sql`DELETE FROM message_terms`
  yield* sql`DELETE FROM message_subjects`
}).pipe(Effect.orDie)

const unindexed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`SELECT id FROM messages WHERE indexed = 0`).length
}).pipe(Effect.orDie)

describe("messages of an earlier version", () => {
  rule(
    "are in filtered lists at once, and a job prepares them",
    Effect.gen(function* () {
      const owner = yield* paying()
      for (const subject of ["one", "two", "three"]) yield* received(owner.address, { subject })
      yield* forgetTerms
      const wanted = { subject: "t", from: { kind: "domain", domain: "elsewhere.org" } } as const
      const before = yield* found(owner, wanted)
      const retention = yield* Retention
      const jobs = yield* Jobs
      yield* retention.scheduleIndex
      yield* jobs.drain
      expect(yield* unindexed).toBe(0)
      expect(subjectsOf(before)).toEqual(["three", "two"])
      expect(yield* found(owner, wanted)).toEqual(before)
    }),
  )

  rule(
    "of a deleted account do not keep the job busy until they are purged",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* received(owner.address)
      yield* forgetTerms
      const sql = yield* SqlClient.SqlClient
      yield* Effect.orDie(sql`UPDATE accounts SET deleted_at = 1`)
      yield* Effect.flatMap(Retention, ({ scheduleIndex }) => scheduleIndex)
      yield* Effect.flatMap(Jobs, ({ drain }) => drain)
      expect(yield* unindexed).toBe(1)
    }),
  )

  rule(
    "can be labelled and found by the label",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id, threadId } = yield* arrival(owner)
      yield* forgetTerms
      const changes = yield* MessageChanges
      const principal = yield* as(owner)
      yield* changes.update(principal, owner.mailboxId, id, { addLabels: ["a"] })
      yield* changes.updateThread(principal, owner.mailboxId, threadId, { addLabels: ["b"] })
      expect(yield* found(owner, { labels: ["a", "b"] })).toHaveLength(1)
      const retention = yield* Retention
      yield* retention.scheduleIndex
      yield* Effect.flatMap(Jobs, ({ drain }) => drain)
      expect(yield* found(owner, { labels: ["a", "b"] })).toHaveLength(1)
    }),
  )
})

describe("a change of a thread", () => {
  rule(
    "reaches all its messages, more than one step changes",
    Effect.gen(function* () {
      const owner = yield* paying()
      const root = "<root@elsewhere.org>"
      for (let index = 0; index < 230; index++)
        yield* accepted(
          owner.address,
          aMail({ subject: `m${index}`, id: `<m${index}@elsewhere.org>`, references: [root] }),
        )
      yield* Engine.settle
      const { threadId } = yield* newest(owner)
      const changes = yield* MessageChanges
      const patch = { addLabels: ["done"], read: true }
      const thread = yield* changes.updateThread(yield* as(owner), owner.mailboxId, threadId, patch)
      expect(thread.messageCount).toBe(230)
      expect(yield* found(owner, { labels: ["done"], unread: true })).toEqual([])
      expect(yield* found(owner, { unread: true })).toEqual([])
      expect(yield* found(owner, { labels: ["done"], subject: "m229" })).toHaveLength(1)
    }),
  )

  rule(
    "that would give a message too many labels is refused",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { id, threadId } = yield* arrival(owner)
      const changes = yield* MessageChanges
      const principal = yield* as(owner)
      const labels = Array.from({ length: LABELS_MAX }, (_, index) => `l${index}`)
      yield* changes.update(principal, owner.mailboxId, id, { labels })
      const error = yield* refused(
        changes.updateThread(principal, owner.mailboxId, threadId, { addLabels: ["more"], read: true }),
      )
      expect(error).toMatchObject({ _tag: "InvalidInput", issues: [{ path: "addLabels" }] })
      expect((yield* newest(owner)).readAt).toBeNull()
    }),
  )
})
