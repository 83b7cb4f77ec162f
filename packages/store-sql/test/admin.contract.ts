/** Contract of `AdminStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { AccountId, type AccountRecord, lowestIdAt, MailboxId, MessageId } from "@mailroom/domain"
import {
  AccountStore,
  AdminStore,
  EventStore,
  JobStore,
  MailboxStore,
  MessageStore,
  WebhookStore,
} from "@mailroom/engine"
import { Effect, Option, Struct } from "effect"
import type { Database } from "./support/databases.js"
import {
  aDelivery,
  aMailbox,
  aMessage,
  anAccount,
  aWebhook,
  newId,
  NOON,
  storedAccount,
  storedMailbox,
} from "./support/records.js"

const stored = (over: Parameters<typeof anAccount>[0] = {}) =>
  Effect.gen(function* () {
    const account = anAccount(over)
    yield* Effect.flatMap(AccountStore, (store) => store.insert(account))
    return account
  }).pipe(Effect.orDie)

const anEvent = (accountId: AccountId, kind: "message.complaint" | "message.sent", createdAt = NOON) =>
  Effect.gen(function* () {
    const store = yield* EventStore
    const mailboxId = MailboxId.make(newId())
    const [event] = yield* store.append([
      { accountId, mailboxId, kind, envelope: "{}", happenedAt: createdAt, random: 1 },
    ])
    return Struct.omit(event ?? (yield* Effect.dieMessage("an event was appended")), "hasWebhooks")
  })

const sorted = <A extends string>(ids: ReadonlyArray<A>) => [...ids].sort()

export const adminContract = (name: string, database: Database) =>
  describe(`${name}: the operator's view`, () => {
    layer(database)((it) => {
      it.effect("lists accounts newest first, from a position on", () =>
        Effect.gen(function* () {
          const store = yield* AdminStore
          const [one, two, three] = [yield* stored(), yield* stored(), yield* stored()]
          expect(yield* store.newestAccounts(null, 2)).toEqual([three.id, two.id])
          expect(yield* store.newestAccounts(two.id, 1)).toEqual([one.id])
          expect(yield* store.newestAccounts(AccountId.make(lowestIdAt(0)), 10)).toEqual([])
        }),
      )

      it.effect("finds accounts by the start of an email or of a slug, each once", () =>
        Effect.gen(function* () {
          const store = yield* AdminStore
          const byEmail = yield* stored({ email: "zora@one.dev" })
          const bySlug = yield* stored({ slug: "zora" })
          const byBoth = yield* stored({ email: "zorax@two.dev", slug: "zora-two" })
          yield* stored({ email: "azora@three.dev", slug: "a-zora" })
          yield* stored({ email: "zor@four.dev", slug: "zor" })
          expect(sorted(yield* store.accountsStartingWith("zora", 10))).toEqual(
            sorted([byEmail.id, bySlug.id, byBoth.id]),
          )
          expect(yield* store.accountsStartingWith("zora@o", 10)).toEqual([byEmail.id])
          expect(yield* store.accountsStartingWith("zorab", 10)).toEqual([])
        }),
      )

      it.effect("treats no character of a search as a wildcard", () =>
        Effect.gen(function* () {
          const store = yield* AdminStore
          const exact = yield* stored({ email: "un_der%score@one.dev" })
          yield* stored({ email: "unxder%score@two.dev" })
          yield* stored({ email: "un-der.score@three.dev" })
          expect(yield* store.accountsStartingWith("un_der%", 10)).toEqual([exact.id])
          for (const wild of ["%", "_", "un*", "un?", "\\", "un'", 'un"'])
            expect(yield* store.accountsStartingWith(wild, 10)).toEqual([])
        }),
      )

      it.effect("compares byte by byte, also outside ASCII", () =>
        Effect.gen(function* () {
          const store = yield* AdminStore
          const one = yield* stored({ email: "zoë@one.dev" })
          yield* stored({ email: "zoe@one.dev" })
          yield* stored({ email: "zo-e@one.dev" })
          expect(yield* store.accountsStartingWith("zoë", 10)).toEqual([one.id])
          expect(yield* store.accountsStartingWith("zo\u{10ffff}", 10)).toEqual([])
        }),
      )

      it.effect("finds at most the requested number by email and by slug", () =>
        Effect.gen(function* () {
          const store = yield* AdminStore
          for (let n = 0; n < 5; n++) yield* stored({ email: `many@${n}.dev`, slug: `many-${n}` })
          expect(yield* store.accountsStartingWith("many@", 3)).toHaveLength(3)
          const both = yield* store.accountsStartingWith("many", 2)
          expect(both.length).toBeGreaterThanOrEqual(2)
          expect(both.length).toBeLessThanOrEqual(4)
        }),
      )

      it.effect("gives accounts newest first, with how many mailboxes they have", () =>
        Effect.gen(function* () {
          const store = yield* AdminStore
          const mailboxes = yield* MailboxStore
          const [without, having] = [yield* storedAccount, yield* storedAccount]
          for (const status of ["ACTIVE", "paused", "suspended"] as const)
            yield* mailboxes.insert(aMailbox(having.id, { status }))
          yield* storedMailbox
          expect(yield* store.accounts([without.id, having.id, AccountId.make(newId())])).toEqual([
            { account: having, mailboxes: { total: 3, unpaused: 2, active: 1 } },
            { account: without, mailboxes: { total: 0, unpaused: 0, active: 0 } },
          ])
          expect(yield* store.accounts([])).toEqual([])
        }),
      )

      it.effect("finds the account of a mailbox", () =>
        Effect.gen(function* () {
          const store = yield* AdminStore
          const mailbox = yield* storedMailbox
          expect(yield* store.accountOfMailbox(mailbox.id)).toEqual(Option.some(mailbox.accountId))
          expect(yield* store.accountOfMailbox(MailboxId.make(newId()))).toEqual(Option.none())
        }),
      )

      it.effect("lists complaints of all accounts newest first, from a position on", () =>
        Effect.gen(function* () {
          const store = yield* AdminStore
          const [one, two] = [yield* storedAccount, yield* storedAccount]
          const early = yield* anEvent(one.id, "message.complaint")
          const late = yield* anEvent(one.id, "message.complaint", NOON + 2)
          yield* anEvent(two.id, "message.sent", NOON + 3)
          const same = yield* anEvent(two.id, "message.complaint", NOON + 2)
          const rows = [
            { event: same, slug: two.slug },
            { event: late, slug: one.slug },
            { event: early, slug: one.slug },
          ]
          expect(yield* store.complaints(null, 10)).toEqual(rows)
          expect(yield* store.complaints(null, 1)).toEqual(rows.slice(0, 1))
          expect(yield* store.complaints(same, 10)).toEqual(rows.slice(1))
          expect(yield* store.complaints(late, 10)).toEqual(rows.slice(2))
          expect(yield* store.complaints(early, 10)).toEqual([])
        }),
      )

      it.effect("lists stopped mailboxes of all accounts, the newest stop first, from a position on", () =>
        Effect.gen(function* () {
          const store = yield* AdminStore
          const mailboxes = yield* MailboxStore
          const [one, two] = [yield* storedAccount, yield* storedAccount]
          const stopped = Effect.fnUntraced(function* ({ id, slug }: AccountRecord, stoppedAt: number) {
            const reason = "BOUNCES" as const
            const mailbox = aMailbox(id, { sendingStoppedAt: stoppedAt, sendingStopReason: reason })
            yield* mailboxes.insert(mailbox)
            yield* mailboxes.save(mailbox)
            return {
              accountId: id,
              slug,
              mailboxId: mailbox.id,
              address: mailbox.fullAddress,
              stoppedAt,
              reason,
            }
          })
          yield* storedMailbox
          const early = yield* stopped(one, NOON)
          const late = yield* stopped(one, NOON + 2)
          const same = yield* stopped(two, NOON + 2)
          const rows = [same, late, early]
          expect(yield* store.stoppedMailboxes(null, 10)).toEqual(rows)
          expect(yield* store.stoppedMailboxes(null, 1)).toEqual([same])
          expect(yield* store.stoppedMailboxes(same, 10)).toEqual([late, early])
          expect(yield* store.stoppedMailboxes(early, 10)).toEqual([])
        }),
      )

      it.effect("counts up to the requested maximum", () =>
        Effect.gen(function* () {
          const store = yield* AdminStore
          const messages = yield* MessageStore
          const jobs = yield* JobStore
          const webhooks = yield* WebhookStore
          const kinds = ["accounts", "suspended accounts", "mailboxes", "waiting deliveries"] as const
          const now = Effect.all(kinds.map((kind) => store.count({ kind }, 1000)))
          const before = yield* now

          yield* stored({ suspendedAt: NOON })
          const mailbox = yield* storedMailbox
          const webhook = aWebhook(mailbox.accountId)
          yield* webhooks.insert(webhook)
          const event = yield* anEvent(mailbox.accountId, "message.sent")
          yield* webhooks.enqueue([
            aDelivery(webhook, event),
            aDelivery(webhook, event, { status: "DELIVERED", deliveredAt: NOON }),
          ])
          expect(yield* now).toEqual(before.map((count, index) => count + (index === 0 ? 2 : 1)))
          expect(yield* store.count({ kind: "accounts" }, 2)).toBe(2)

          const waiting = yield* store.count({ kind: "waiting jobs" }, 1000)
          const spec = { kind: "remove-blobs", keys: [] } as const
          yield* jobs.add([{ id: newId(), spec, dueAt: NOON }])
          expect(yield* store.count({ kind: "waiting jobs" }, 1000)).toBe(waiting + 1)

          const midnight = NOON + 1000
          const made = (at: number) =>
            aMessage(mailbox, { content: { id: MessageId.make(lowestIdAt(at).replace(/0$/, "1")) } })
          yield* messages.insert([made(midnight - 1), made(midnight), made(midnight + 1)])
          expect(yield* store.count({ kind: "messages", since: midnight }, 1000)).toBe(2)
          expect(yield* store.count({ kind: "messages", since: midnight }, 1)).toBe(1)
        }),
      )
    })
  })
