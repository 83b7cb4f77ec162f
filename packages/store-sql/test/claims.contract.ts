/** Contract of `ClaimStore`, and of the claims that reads of messages show. */
import { describe, expect, layer } from "@effect/vitest"
import {
  type Actor,
  anyMessage,
  type ClaimRecord,
  type MailboxId,
  MessageClaim,
  type MessageFilter,
  newClaim,
  SECOND,
  timestamp,
} from "@mailroom/domain"
import {
  type ClaimedMessage,
  ClaimStore,
  type FreePage,
  type MessagePosition,
  type MessageRecord,
  MessageStore,
  Transactions,
} from "@mailroom/engine"
import { Deferred, Effect, Option, Schema, TestClock } from "effect"
import type { Database } from "./support/databases.js"
import { aMessage, NOON, type Owner, storedMailbox } from "./support/records.js"

const insert = (...messages: ReadonlyArray<MessageRecord>) =>
  Effect.flatMap(MessageStore, (store) => store.insert(messages))

const arrived = (owner: Owner, after: number, over: Partial<MessageRecord> = {}) => {
  const message = aMessage(owner, { createdAt: NOON + after, ...over })
  return Effect.as(insert(message), message)
}

const inTransaction = <A, R>(work: Effect.Effect<A, never, R>) =>
  Effect.flatMap(Transactions, ({ run }) => run(work))

const idOf = (found: Option.Option<ClaimedMessage>) => Option.getOrNull(Option.map(found, ({ id }) => id))

/** Claims the oldest free message, and returns it. */
const take = (mailboxId: MailboxId, claim: ClaimRecord) =>
  inTransaction(
    Effect.gen(function* () {
      const store = yield* ClaimStore
      const found = yield* store.lockOldest(mailboxId)
      if (Option.isSome(found)) yield* store.save(found.value, claim)
      return idOf(found)
    }),
  )

/** Changes the claim of a message. */
const change = ({ content: { id, mailboxId } }: MessageRecord, over: Partial<ClaimRecord>) =>
  inTransaction(
    Effect.gen(function* () {
      const store = yield* ClaimStore
      const message = yield* Effect.flatten(store.lock(mailboxId, id))
      if (message.claim !== null) yield* store.save(message, { ...message.claim, ...over })
    }).pipe(Effect.orDie),
  )

const decodeClaim = Schema.decodeSync(Schema.parseJson(Schema.Struct({ claim: MessageClaim })))
const decodeId = Schema.decodeSync(Schema.parseJson(Schema.Struct({ id: Schema.String })))

const claimedBy: Actor = { kind: "key", id: "0196", name: "Worker 1" }
const claim = newClaim("hash", 60, claimedBy, NOON)

export const claimsContract = (name: string, database: Database) =>
  describe(`${name}: claims`, () => {
    layer(database)((it) => {
      it.effect("the oldest free inbound message is claimed, and each once", () =>
        Effect.gen(function* () {
          const owner = yield* storedMailbox
          const second = yield* arrived(owner, 2)
          const first = yield* arrived(owner, 1)
          yield* arrived(owner, 0, { gate: "INBOUND_LIMIT_EXCEEDED" })
          yield* insert(
            aMessage(owner, { createdAt: NOON, status: "SENT", content: { direction: "OUTBOUND" } }),
          )
          expect(yield* take(owner.id, claim)).toBe(first.content.id)
          expect(yield* take(owner.id, claim)).toBe(second.content.id)
          expect(yield* take(owner.id, claim)).toBeNull()
        }),
      )

      it.effect(
        "a claim is free again when it is released or its lease has ended, and never when it is completed",
        () =>
          Effect.gen(function* () {
            const store = yield* ClaimStore
            const owner = yield* storedMailbox
            const [one, two, three] = [
              yield* arrived(owner, 1),
              yield* arrived(owner, 2),
              yield* arrived(owner, 3),
            ]
            for (let count = 0; count < 3; count++) yield* take(owner.id, claim)
            yield* change(one, { state: "COMPLETED" })
            yield* change(three, { state: "RELEASED" })
            expect(yield* store.nextEnd(owner.id)).toEqual(Option.some(NOON + 60 * SECOND))
            const freeEnded = (at: number) => inTransaction(store.freeEnded(owner.id, at, 10))
            expect(yield* freeEnded(claim.expiresAt - 1)).toBe(0)
            expect(yield* freeEnded(claim.expiresAt)).toBe(1)
            expect(yield* freeEnded(claim.expiresAt)).toBe(0)
            expect((yield* store.free(owner.id, null, 10)).messages.map(({ id }) => id)).toEqual([
              two.content.id,
              three.content.id,
            ])
            expect(yield* store.nextEnd(owner.id)).toEqual(Option.none())
            expect(yield* take(owner.id, claim)).toBe(two.content.id)
            expect(yield* take(owner.id, claim)).toBe(three.content.id)
            expect(yield* take(owner.id, claim)).toBeNull()
          }),
      )

      it.effect("free messages are read in pages, with what a filter reads of them", () =>
        Effect.gen(function* () {
          const store = yield* ClaimStore
          const owner = yield* storedMailbox
          const one = yield* arrived(owner, 1)
          const two = yield* arrived(owner, 2, { labels: ["a"], readAt: NOON })
          const first = yield* store.free(owner.id, null, 1)
          const position = { createdAt: NOON + 1, id: one.content.id }
          expect(first).toMatchObject({ messages: [{ id: one.content.id }], next: position })
          expect(yield* store.free(owner.id, position, 5)).toEqual({
            next: null,
            messages: [
              {
                id: two.content.id,
                mailboxId: owner.id,
                direction: "INBOUND",
                threadId: two.threadId,
                labels: ["a"],
                readAt: NOON,
                createdAt: NOON + 2,
                fromAddress: "ada@sender.org",
                toAddresses: ["agent@mailroom.localhost"],
                ccAddresses: [],
                deliveredTo: "agent@mailroom.localhost",
                subject: "Hello",
                hasAttachments: false,
                hasCode: false,
                hasLink: false,
              },
            ],
          })
          const claimed = yield* inTransaction(store.lockFirst(owner.id, [two.content.id, one.content.id]))
          expect(idOf(claimed)).toBe(two.content.id)
        }),
      )

      it.effect("a page of free messages ends by its bytes, and pages have every message once", () =>
        Effect.gen(function* () {
          const store = yield* ClaimStore
          const owner = yield* storedMailbox
          const stored = [9, 3, 3, 3, 0].map((megabytes, index) =>
            aMessage(owner, {
              createdAt: NOON + index,
              content: { references: ["r".repeat(megabytes * 1024 * 1024)] },
            }),
          )
          yield* insert(...stored)
          const pages: Array<ReadonlyArray<string>> = []
          for (let after: MessagePosition | null | undefined = null; after !== undefined;) {
            const page: FreePage = yield* store.free(owner.id, after, 100)
            pages.push(page.messages.map(({ id }) => id))
            after = page.next ?? undefined
          }
          expect(pages.map(({ length }) => length)).toEqual([1, 2, 2])
          expect(pages.flat()).toEqual(stored.map(({ content }) => content.id))
        }),
      )

      it.effect("reads of a message show its claim until the lease ends", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const message = yield* arrived(owner, 1)
          yield* take(owner.id, claim)
          const shown = Effect.map(store.byId(owner.id, message.content.id), (found) =>
            Option.getOrNull(Option.map(found, (one) => one.claim)),
          )
          yield* TestClock.setTime(claim.expiresAt - 1)
          expect(yield* shown).toEqual({ state: "CLAIMED", expiresAt: timestamp(claim.expiresAt), claimedBy })
          yield* TestClock.setTime(claim.expiresAt)
          expect(yield* shown).toBeNull()
          yield* change(message, { state: "COMPLETED" })
          expect(yield* shown).toEqual({ state: "COMPLETED", expiresAt: null, claimedBy })
        }),
      )

      it.effect(
        "the worker is stored with the claim, replaced by the next, and null when it is not known",
        () =>
          Effect.gen(function* () {
            const claims = yield* ClaimStore
            const owner = yield* storedMailbox
            const message = yield* arrived(owner, 1)
            yield* take(owner.id, claim)
            yield* TestClock.setTime(NOON)
            const stored = Effect.map(
              inTransaction(claims.lock(owner.id, message.content.id)),
              Option.map((locked) => locked.claim?.claimedBy),
            )
            expect(yield* stored).toEqual(Option.some(claimedBy))
            for (const next of [{ kind: "session" } satisfies Actor, null]) {
              yield* change(message, { claimedBy: next })
              expect(yield* stored).toEqual(Option.some(next))
              const listed = yield* Effect.flatMap(MessageStore, (store) =>
                store.filtered({
                  accountId: owner.accountId,
                  mailboxIds: [owner.id],
                  filter: { ...anyMessage, claim: "claimed" },
                  order: "asc",
                  after: null,
                  limit: 10,
                }),
              )
              expect(listed.items.map((item) => decodeClaim(item).claim.claimedBy)).toEqual([next])
            }
          }),
      )

      it.effect("lists have the messages that are free, claimed or completed, in both orders", () =>
        Effect.gen(function* () {
          const store = yield* MessageStore
          const owner = yield* storedMailbox
          const [done, held, ended, free] = [
            yield* arrived(owner, 1),
            yield* arrived(owner, 2),
            yield* arrived(owner, 3),
            yield* arrived(owner, 4, { labels: ["a"] }),
          ]
          for (const length of [60, 120, 60]) yield* take(owner.id, newClaim("hash", length, claimedBy, NOON))
          yield* change(done, { state: "COMPLETED" })
          yield* insert(
            aMessage(owner, { createdAt: NOON, status: "SENT", content: { direction: "OUTBOUND" } }),
          )
          yield* TestClock.setTime(NOON + 60 * SECOND)
          const listed = (filter: Partial<MessageFilter>, order: "asc" | "desc" = "asc") =>
            Effect.map(
              store.filtered({
                accountId: owner.accountId,
                mailboxIds: [owner.id],
                filter: { ...anyMessage, ...filter },
                order,
                after: null,
                limit: 10,
              }),
              ({ items }) => items.map((item) => decodeId(item).id),
            )
          const idsOf = (...messages: ReadonlyArray<MessageRecord>) =>
            messages.map(({ content }) => content.id)
          expect(yield* listed({ claim: "completed" })).toEqual(idsOf(done))
          expect(yield* listed({ claim: "claimed" })).toEqual(idsOf(held))
          expect(yield* listed({ claim: "free" })).toEqual(idsOf(ended, free))
          expect(yield* listed({ claim: "free" }, "desc")).toEqual(idsOf(free, ended))
          expect(yield* listed({ claim: "free", labels: ["a"] })).toEqual(idsOf(free))
          expect(yield* listed({ claim: "claimed", unread: true })).toEqual(idsOf(held))
          expect(yield* listed({ claim: "completed", direction: "OUTBOUND" })).toEqual([])
        }),
      )

      it.effect("a message that is removed takes its claim along", () =>
        Effect.gen(function* () {
          const claims = yield* ClaimStore
          const owner = yield* storedMailbox
          const message = yield* arrived(owner, 1)
          yield* take(owner.id, claim)
          yield* Effect.flatMap(MessageStore, (store) => store.remove(message.content.id))
          expect(yield* claims.nextEnd(owner.id)).toEqual(Option.none())
          expect(yield* inTransaction(claims.lock(owner.id, message.content.id))).toEqual(Option.none())
        }),
      )
    })
  })

/** For databases with several connections: what a claim does while another transaction holds messages. */
export const concurrentClaimsContract = (name: string, database: Database) =>
  describe(`${name}: claims at the same time`, () => {
    layer(database)((it) => {
      it.effect(
        "a claim skips a message that another transaction is claiming, and does not wait for it",
        () =>
          Effect.gen(function* () {
            const store = yield* ClaimStore
            const owner = yield* storedMailbox
            const first = yield* arrived(owner, 1)
            const second = yield* arrived(owner, 2)
            const locked = yield* Deferred.make<void>()
            const end = yield* Deferred.make<void>()
            const holder = yield* Effect.fork(
              inTransaction(
                Effect.gen(function* () {
                  const found = yield* store.lockOldest(owner.id)
                  yield* Deferred.succeed(locked, undefined)
                  yield* Deferred.await(end)
                  return idOf(found)
                }),
              ),
            )
            yield* Deferred.await(locked)
            expect(yield* take(owner.id, claim)).toBe(second.content.id)
            yield* Deferred.succeed(end, undefined)
            expect(yield* holder).toBe(first.content.id)
          }),
      )
    })
  })
