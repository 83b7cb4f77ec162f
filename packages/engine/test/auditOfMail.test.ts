/** What the audit trail says of the control of mail: policies, lists, quarantine, approvals, stops (spec: keys.audit.entry). */
import { describe, expect, it } from "@effect/vitest"
import { auditActions } from "@mailroom/domain"
import { AddressLists, AuditLog, Mailboxes, Quarantines, SigningKeys, Takeovers } from "@mailroom/engine"
import { Effect, Struct } from "effect"
import { readFileSync } from "node:fs"
import { received } from "./support/arrivals.js"
import { approve, keptOf, pause, reject } from "./support/drafts.js"
import { report, sendTo } from "./support/harm.js"
import { rule } from "./support/mailroom.js"
import { as, type Owner, paying, unverified } from "./support/owners.js"
import { newest } from "./support/reading.js"
import { trySend } from "./support/sends.js"

const whole = { before: null, limit: 100 }

/** The entries that `work` adds to the trail, oldest first, with the key that calls. */
const added = <E, R>(owner: Owner, work: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const audit = yield* AuditLog
    const list = Effect.flatMap(as(owner), (principal) => audit.list(principal, whole))
    const before = (yield* list).entries.length
    yield* work
    const { entries } = yield* list
    return entries
      .slice(0, entries.length - before)
      .reverse()
      .map(({ action, actor, target, detail }) => [`${action} by ${actor.kind}`, target, detail])
  })

/** The default policies, as an entry has them. */
const policies = {
  outboundPolicy: "open",
  reviewTtlHours: 72,
  receivePolicy: "open",
  onBlocked: "quarantine",
  quarantine: [],
}

describe("the audit trail", () => {
  rule(
    "has the policies of a mailbox, at its creation and after each change, with the new values",
    Effect.gen(function* () {
      const owner = yield* paying()
      const principal = yield* as(owner)
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "second", displayName: null, domainId: null }
      const reviewed = { outboundPolicy: "review" } as const
      const entries = yield* added(
        owner,
        Effect.gen(function* () {
          const { id } = yield* mailboxes.create(principal, { ...wanted, policies: reviewed })
          const unchanged = { displayName: "Second", status: undefined }
          yield* mailboxes.update(principal, id, unchanged)
          yield* mailboxes.update(principal, id, { ...unchanged, policies: { outboundPolicy: "review" } })
          yield* mailboxes.update(principal, id, { ...unchanged, policies: { outboundPolicy: "open" } })
        }),
      )
      expect(entries).toEqual([
        [
          "mailbox.created by key",
          expect.any(String),
          { address: "second@acme.mailroom.localhost", ...policies, outboundPolicy: "review" },
        ],
        ["policy.changed by key", expect.any(String), policies],
      ])
    }),
  )

  rule(
    "has entries of lists, with the list and the address, and none for a repetition",
    Effect.gen(function* () {
      const owner = yield* paying()
      const principal = yield* as(owner)
      const lists = yield* AddressLists
      const list = { mailboxId: owner.mailboxId, direction: "send", kind: "block" } as const
      const ofAccount = { ...list, mailboxId: null, direction: "receive", kind: "allow" } as const
      const entry = { entry: "bob@elsewhere.org", reason: "no" }
      const entries = yield* added(
        owner,
        Effect.gen(function* () {
          const [one] = yield* Effect.replicateEffect(lists.add(principal, list, entry), 2)
          yield* lists.add(principal, ofAccount, entry)
          if (one !== undefined) yield* lists.remove(principal, list, one.id)
        }),
      )
      const detail = { list: "send/block", entry: entry.entry }
      expect(entries).toEqual([
        ["list.entry_added by key", owner.mailboxId, detail],
        ["list.entry_added by key", null, { ...detail, list: "receive/allow" }],
        ["list.entry_removed by key", owner.mailboxId, detail],
      ])
    }),
  )

  rule(
    "has what was quarantined and released by hand, and who took over a thread",
    Effect.gen(function* () {
      const owner = yield* paying()
      const principal = yield* as(owner)
      yield* received(owner.address)
      const { id, threadId } = yield* newest(owner)
      const quarantines = yield* Quarantines
      const takeovers = yield* Takeovers
      const entries = yield* added(
        owner,
        Effect.gen(function* () {
          yield* takeovers.takeOver(principal, threadId)
          yield* takeovers.release(principal, threadId)
          yield* Effect.replicateEffect(quarantines.quarantine(principal, owner.mailboxId, id), 2)
          yield* quarantines.release(principal, owner.mailboxId, id)
        }),
      )
      expect(entries.map(([action, target]) => [action, target])).toEqual([
        ["thread.taken_over by key", threadId],
        ["thread.released by key", threadId],
        ["message.quarantined by key", id],
        ["message.released by key", id],
      ])
    }),
  )

  rule(
    "has each approval and rejection, with its digest and reason, and who decided",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mailboxes = yield* Mailboxes
      yield* mailboxes.update(yield* as(owner), owner.mailboxId, {
        displayName: undefined,
        status: undefined,
        policies: { outboundPolicy: "review" },
      })
      const one = yield* keptOf(yield* trySend(owner))
      const two = yield* keptOf(yield* trySend(owner))
      const three = yield* keptOf(yield* trySend(owner))
      const entries = yield* added(
        owner,
        Effect.gen(function* () {
          yield* approve(owner, one, { edits: { subject: "Better" } })
          yield* reject(owner, two.id, "Too friendly")
          yield* reject(owner, three.id)
        }),
      )
      const { mailboxId } = owner
      expect(entries).toEqual([
        ["draft.approved by key", one.id, { mailboxId, digest: expect.not.stringContaining(one.digest) }],
        ["draft.rejected by key", two.id, { mailboxId, digest: two.digest, reason: "Too friendly" }],
        ["draft.rejected by key", three.id, { mailboxId, digest: three.digest, reason: null }],
      ])
    }),
  )

  rule(
    "has stops and resumes, of the account by its owner and of a mailbox by the service",
    Effect.gen(function* () {
      const owner = yield* paying()
      const mailboxes = yield* Mailboxes
      const entries = yield* added(
        owner,
        Effect.gen(function* () {
          for (const paused of [true, true, false]) yield* pause(owner, paused)
          const sent = yield* sendTo(owner, 50)
          yield* report(sent.slice(0, 6))
          const principal = yield* as(owner)
          yield* Effect.replicateEffect(mailboxes.resumeSending(principal, owner.mailboxId), 2)
        }),
      )
      expect(entries).toMatchObject([
        ["account.sending_paused by key", null, {}],
        ["account.sending_resumed by key", null, {}],
        ["mailbox.sending_stopped by system", owner.mailboxId, { reason: "BOUNCES" }],
        ["mailbox.sending_resumed by key", owner.mailboxId, {}],
      ])
    }),
  )

  rule(
    "of the operator has the next key of the platform, once",
    Effect.gen(function* () {
      yield* unverified()
      const keys = yield* SigningKeys
      yield* Effect.replicateEffect(keys.rotatePlatform, 2)
      const audit = yield* AuditLog
      const { entries } = yield* audit.listOf(null, whole)
      expect(entries.map(({ action, actor }) => `${action} by ${actor.kind}`)).toEqual([
        "platform.key_rotated by admin",
      ])
    }),
  )

  it("keys.audit.entry: every action has its test, here or beside", () => {
    const tests = ["auditOfMail.test.ts", "audit.test.ts", "claims.test.ts"].map((name) =>
      readFileSync(new URL(name, import.meta.url), "utf8"),
    )
    const untested = Struct.keys(auditActions).filter(
      (action) => !tests.some((text) => text.includes(action)),
    )
    expect(untested).toEqual([])
  })
})
