/** Contract of `MailboxStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { AlreadyTaken, DomainId, MailboxId } from "@mailroom/domain"
import { DomainStore, MailboxStore, MessageStore } from "@mailroom/engine"
import { Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { aDomain, aMailbox, aMessage, newId, NOON, storedAccount, storedMailbox } from "./support/records.js"

export const mailboxesContract = (name: string, database: Database) =>
  describe(`${name}: mailboxes`, () => {
    layer(database)((it) => {
      it.effect("returns a mailbox to its account as it was inserted", () =>
        Effect.gen(function* () {
          const store = yield* MailboxStore
          const mailbox = aMailbox((yield* storedAccount).id, {
            domainId: DomainId.make(newId()),
            displayName: "Agent",
            status: "suspended",
            suspendedReason: "spam",
            pausedByBilling: true,
            provisioned: true,
            sentMinute: { window: "2026-03-01T09:30", count: 2 },
            policies: {
              outboundPolicy: "review_new",
              reviewTtlHours: 168,
              receivePolicy: "allowlisted",
              onBlocked: "refuse",
              quarantine: ["suspicious", "spam"],
            },
          })
          yield* store.insert(mailbox)
          expect(yield* store.byId(mailbox.accountId, mailbox.id)).toEqual(Option.some(mailbox))
          expect(yield* store.byId((yield* storedAccount).id, mailbox.id)).toEqual(Option.none())
        }),
      )

      it.effect("recounts the gated messages of an account's mailboxes", () =>
        Effect.gen(function* () {
          const store = yield* MailboxStore
          const messages = yield* MessageStore
          const owner = yield* storedMailbox
          const counted = (overLimitCount: number) => aMailbox(owner.accountId, { overLimitCount })
          const [none, two, wrong] = [counted(0), counted(2), counted(7)]
          for (const mailbox of [none, two, wrong]) yield* store.insert(mailbox)
          yield* messages.insert([
            aMessage(two, { gate: "INBOUND_LIMIT_EXCEEDED" }),
            aMessage(two, { gate: "INBOUND_TRIAL_LIMIT_EXCEEDED" }),
            aMessage(wrong),
          ])
          const counts = Effect.map(
            store.list(owner.accountId, [none.id, two.id, wrong.id]),
            (found) => new Map(found.map(({ id, overLimitCount }) => [id, overLimitCount])),
          )
          expect(yield* store.recountGated(owner.accountId)).toBe(2)
          expect(yield* counts).toEqual(
            new Map([
              [none.id, 0],
              [two.id, 2],
              [wrong.id, 0],
            ]),
          )
          yield* messages.unlock(owner.accountId, "INBOUND_LIMIT_EXCEEDED")
          expect(yield* store.recountGated(owner.accountId)).toBe(1)
          yield* messages.unlock(owner.accountId, "all")
          expect(yield* store.recountGated(owner.accountId)).toBe(0)
          expect(yield* counts).toEqual(
            new Map([
              [none.id, 0],
              [two.id, 0],
              [wrong.id, 0],
            ]),
          )
        }),
      )

      it.effect("refuses an address that is in use, and names it", () =>
        Effect.gen(function* () {
          const store = yield* MailboxStore
          const { accountId, fullAddress } = yield* storedMailbox
          expect(yield* Effect.flip(store.insert(aMailbox(accountId, { fullAddress })))).toEqual(
            new AlreadyTaken({ what: "address", value: fullAddress }),
          )
        }),
      )

      it.effect("finds mailboxes by their addresses, and leaves out unknown ones", () =>
        Effect.gen(function* () {
          const store = yield* MailboxStore
          const [one, two] = [yield* storedMailbox, yield* storedMailbox]
          const found = yield* store.byAddresses([
            two.fullAddress,
            "nobody@mailroom.localhost",
            one.fullAddress,
          ])
          expect(new Set(found)).toEqual(new Set([one, two]))
          expect(yield* store.byAddresses([])).toEqual([])
        }),
      )

      it.effect("lists the mailboxes of an account oldest first, within the scope", () =>
        Effect.gen(function* () {
          const store = yield* MailboxStore
          const { id } = yield* storedAccount
          const boxes = [2, 0, 1].map((minutes) => aMailbox(id, { createdAt: NOON + minutes }))
          for (const mailbox of boxes) yield* store.insert(mailbox)
          const foreign = yield* storedMailbox
          const [last, oldest, middle] = boxes
          expect(yield* store.list(id, null)).toEqual([oldest, middle, last])
          const scope = [...boxes.filter((mailbox) => mailbox !== middle), foreign].map(
            (mailbox) => mailbox.id,
          )
          expect(yield* store.list(id, scope)).toEqual([oldest, last])
          expect(yield* store.list(id, [])).toEqual([])
        }),
      )

      it.effect("takes a scope of hundreds of mailboxes", () =>
        Effect.gen(function* () {
          const store = yield* MailboxStore
          const mailbox = yield* storedMailbox
          const scope = [...Array.from({ length: 300 }, () => MailboxId.make(newId())), mailbox.id]
          expect(yield* store.list(mailbox.accountId, scope)).toEqual([mailbox])
        }),
      )

      it.effect("counts mailboxes, those that are not paused, and those that are ACTIVE", () =>
        Effect.gen(function* () {
          const store = yield* MailboxStore
          const { id } = yield* storedAccount
          for (const status of ["ACTIVE", "paused", "suspended"] as const)
            yield* store.insert(aMailbox(id, { status }))
          expect(yield* store.counts(id)).toEqual({ total: 3, unpaused: 2, active: 1 })
          expect(yield* store.counts((yield* storedAccount).id)).toEqual({ total: 0, unpaused: 0, active: 0 })
        }),
      )

      it.effect("returns the custom domains of mailboxes that are not paused, each once", () =>
        Effect.gen(function* () {
          const store = yield* MailboxStore
          const { id } = yield* storedAccount
          const [used, idle] = [DomainId.make(newId()), DomainId.make(newId())]
          yield* store.insert(aMailbox(id, { domainId: used }))
          yield* store.insert(aMailbox(id, { domainId: used }))
          yield* store.insert(aMailbox(id, { domainId: idle, status: "paused" }))
          yield* store.insert(aMailbox(id))
          expect(yield* store.domainsInUse(id)).toEqual([used])
        }),
      )

      it.effect("saves, locks and removes", () =>
        Effect.gen(function* () {
          const store = yield* MailboxStore
          const before = yield* storedMailbox
          const after = { ...before, displayName: "New", sentDay: { window: "2026-03-01", count: 1 } }
          yield* store.save(after)
          expect(yield* store.lock([before.id, MailboxId.make(newId())])).toEqual([after])
          yield* store.remove(before.id)
          expect(yield* store.lock([before.id])).toEqual([])
        }),
      )

      it.effect("counts the mailboxes on a custom domain, paused ones too", () =>
        Effect.gen(function* () {
          const store = yield* MailboxStore
          const { id } = yield* storedAccount
          const [used, idle] = [DomainId.make(newId()), DomainId.make(newId())]
          yield* store.insert(aMailbox(id, { domainId: used }))
          yield* store.insert(aMailbox(id, { domainId: used, status: "paused" }))
          yield* store.insert(aMailbox(id))
          expect(yield* store.countOnDomain(used)).toBe(2)
          expect(yield* store.countOnDomain(idle)).toBe(0)
        }),
      )

      it.effect("finds the mailboxes on other accounts' claims on a domain", () =>
        Effect.gen(function* () {
          const [store, domains] = [yield* MailboxStore, yield* DomainStore]
          const [one, two] = [yield* storedAccount, yield* storedAccount]
          const name = `${newId()}.dev`
          const [mine, theirs, elsewhere] = [
            aDomain(one.id, { domain: name }),
            aDomain(two.id, { domain: name }),
            aDomain(two.id),
          ]
          for (const domain of [mine, theirs, elsewhere]) yield* domains.insert(domain)
          const on = (domain: typeof mine) => aMailbox(domain.accountId, { domainId: domain.id })
          const rival = on(theirs)
          for (const mailbox of [rival, on(mine), on(elsewhere)]) yield* store.insert(mailbox)
          expect(yield* store.onOtherClaims(name, mine.id)).toEqual([rival.id])
          expect(yield* store.onOtherClaims(elsewhere.domain, elsewhere.id)).toEqual([])
        }),
      )
    })
  })
