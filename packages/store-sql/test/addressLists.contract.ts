/** Contract of `AddressListStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { AddressListStore, MailboxStore } from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { aListEntry, aMailbox, NOON, storedMailbox } from "./support/records.js"

export const addressListsContract = (name: string, database: Database) =>
  describe(`${name}: allow and block lists`, () => {
    layer(database)((it) => {
      it.effect("pages through one list, newest first", () =>
        Effect.gen(function* () {
          const store = yield* AddressListStore
          const { accountId, id } = yield* storedMailbox
          const texts = ["a@x.org", "@x.org", "@*.x.org"]
          const [first, second, third] = texts.map((entry, index) =>
            aListEntry({ accountId, entry, createdAt: NOON + Math.min(index, 1), reason: `no. ${index}` }),
          )
          const elsewhere = [
            aListEntry({ accountId, ownerId: id, entry: "a@x.org" }),
            aListEntry({ accountId, direction: "send", entry: "a@x.org" }),
            aListEntry({ accountId, kind: "allow", entry: "a@x.org" }),
          ]
          for (const entry of [first, second, third, ...elsewhere]) if (entry) yield* store.insert(entry)
          const list = { ownerId: accountId, direction: "receive", kind: "block" } as const
          expect(yield* store.page(list, null, 2)).toEqual([third, second])
          expect(yield* store.page(list, second ?? null, 2)).toEqual([first])
          expect(yield* store.byEntry(list, "@x.org")).toEqual(Option.fromNullable(second))
          expect(yield* store.byEntry({ ...list, kind: "allow" }, "@x.org")).toEqual(Option.none())
        }),
      )

      it.effect("removes an entry from its own list only", () =>
        Effect.gen(function* () {
          const store = yield* AddressListStore
          const { accountId, id } = yield* storedMailbox
          const entry = aListEntry({ accountId })
          yield* store.insert(entry)
          const list = { ownerId: accountId, direction: "receive", kind: "block" } as const
          for (const other of [
            { ...list, ownerId: id },
            { ...list, direction: "send" } as const,
            { ...list, kind: "allow" } as const,
          ])
            expect(yield* store.remove(other, entry.id)).toEqual(Option.none())
          expect(yield* store.remove(list, entry.id)).toEqual(Option.some(entry))
          expect(yield* store.remove(list, entry.id)).toEqual(Option.none())
        }),
      )

      it.effect("finds the entries of several owners at once", () =>
        Effect.gen(function* () {
          const store = yield* AddressListStore
          const mailbox = yield* storedMailbox
          const foreign = yield* storedMailbox
          const { accountId } = mailbox
          yield* store.insert(aListEntry({ accountId, entry: "@x.org" }))
          yield* store.insert(aListEntry({ accountId, entry: "@x.org", kind: "allow" }))
          yield* store.insert(aListEntry({ accountId, ownerId: mailbox.id, entry: "a@x.org" }))
          yield* store.insert(aListEntry({ accountId, direction: "send", entry: "a@x.org" }))
          const probes = [accountId, mailbox.id, foreign.accountId, foreign.id].flatMap((ownerId) =>
            ["a@x.org", "@x.org", "@*.org"].map((entry) => ({ ownerId, entry })),
          )
          expect([...(yield* store.among("receive", probes))].sort(byKind)).toEqual(
            [
              { ownerId: accountId, entry: "@x.org", kind: "allow" },
              { ownerId: accountId, entry: "@x.org", kind: "block" },
              { ownerId: mailbox.id, entry: "a@x.org", kind: "block" },
            ].sort(byKind),
          )
          expect(yield* store.among("receive", [])).toEqual([])
        }),
      )

      it.effect("removes the lists of a removed mailbox, and counts them", () =>
        Effect.gen(function* () {
          const store = yield* AddressListStore
          const { accountId, id } = yield* storedMailbox
          yield* store.insert(aListEntry({ accountId }))
          yield* store.insert(aListEntry({ accountId, ownerId: id }))
          yield* store.insert(aListEntry({ accountId, ownerId: id, direction: "send" }))
          expect([yield* store.removeOfMailbox(id), yield* store.removeOfMailbox(id)]).toEqual([2, 0])
          const list = { ownerId: accountId, direction: "receive", kind: "block" } as const
          expect(yield* store.page(list, null, 10)).toHaveLength(1)
        }),
      )

      it.effect("tells what a mailbox screens senders by, when it refuses them", () =>
        Effect.gen(function* () {
          const mailboxes = yield* MailboxStore
          const { accountId, policies } = yield* storedMailbox
          const mailbox = aMailbox(accountId, {
            policies: { ...policies, onBlocked: "refuse", receivePolicy: "allowlisted" },
          })
          yield* mailboxes.insert(mailbox)
          const [found] = yield* mailboxes.recipients([mailbox.fullAddress])
          expect(found?.screening).toEqual({
            accountId,
            mailboxId: mailbox.id,
            receivePolicy: "allowlisted",
            listEntryCount: 0,
            ownerEmail: null,
          })
        }),
      )
    })
  })

const byKind = (a: { readonly kind: string; readonly entry: string }, b: typeof a): number =>
  `${a.kind} ${a.entry}` < `${b.kind} ${b.entry}` ? -1 : 1
