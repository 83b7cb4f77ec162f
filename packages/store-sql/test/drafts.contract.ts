/** Contract of `DraftStore`, and of the files of drafts in `AttachmentStore`. */
import { describe, expect, layer } from "@effect/vitest"
import { type DraftRecord, HOUR, LIST_BODY_MAX_LENGTH, MINUTE } from "@mailroom/domain"
import { AttachmentStore, type DraftPosition, DraftStore, MailboxStore, Transactions } from "@mailroom/engine"
import { Array, Effect, Option } from "effect"
import type { Database } from "./support/databases.js"
import { aDraft, anAttachment, NOON, type Owner, storedMailbox } from "./support/records.js"

const stored = (owner: Owner, over: Partial<DraftRecord> = {}) => {
  const draft = aDraft(owner, over)
  return Effect.as(
    Effect.flatMap(DraftStore, (store) => store.insert(draft)),
    draft,
  )
}

const dueTimes = (drafts: ReadonlyArray<DraftRecord>) =>
  Effect.forEach(drafts, ({ accountId, id }) =>
    Effect.gen(function* () {
      const store = yield* DraftStore
      const { dueAt } = yield* Effect.flatten(store.byId(accountId, id))
      return dueAt
    }),
  )

const complete = (owner: Owner): Partial<DraftRecord> => {
  const base = aDraft(owner)
  const { id, filename, contentType, sizeBytes, contentId } = anAttachment(owner.accountId)
  return {
    status: "PENDING_REVIEW",
    content: {
      ...base.content,
      bodyText: "A NUL \0 and a \u{1f600}",
      headers: { "X-Custom-Run": "7" },
      attachments: [{ id, filename, contentType, sizeBytes, contentId, sha256: "1".repeat(64) }],
      reply: {
        inReplyTo: "<a@b.org>",
        messageId: null,
        links: { inReplyTo: "<a@b.org>", references: ["<a@b.org>"] },
        automated: true,
      },
      calendar: { method: "REPLY", content: "BEGIN:VCALENDAR\r\n" },
    },
    approvedDigest: "2".repeat(64),
    personApprovedAt: NOON,
    byPerson: true,
    clientId: "mine",
    sendAt: NOON + HOUR,
    review: { requestedAt: NOON, expiresAt: NOON + HOUR, reasons: [{ code: "EVERY_SEND" }] },
    error: { code: "REJECTED", message: "No" },
    dueAt: NOON + HOUR,
    attempts: 2,
  }
}

export const draftsContract = (name: string, database: Database) =>
  describe(`${name}: drafts`, () => {
    layer(database)((it) => {
      it.effect("stores every field, changes a draft, finds it by its client's id, and removes it", () =>
        Effect.gen(function* () {
          const store = yield* DraftStore
          const owner = yield* storedMailbox
          const draft = yield* stored(owner, complete(owner))
          expect(yield* store.byId(owner.accountId, draft.id)).toEqual(Option.some(draft))
          expect(yield* store.byClientId(owner.id, "mine")).toEqual(Option.some(draft))
          const other = yield* storedMailbox
          expect(yield* store.byId(other.accountId, draft.id)).toEqual(Option.none())
          expect(yield* store.byClientId(other.id, "mine")).toEqual(Option.none())

          const changed = { ...draft, status: "DRAFT" as const, review: null, dueAt: null, clientId: null }
          yield* store.save(changed)
          expect(yield* store.byId(owner.accountId, draft.id)).toEqual(Option.some(changed))
          yield* store.remove(draft.id)
          expect(yield* store.byId(owner.accountId, draft.id)).toEqual(Option.none())
        }),
      )

      it.effect("lists pages, newest first, of a mailbox, a scope and a state, with cut bodies", () =>
        Effect.gen(function* () {
          const store = yield* DraftStore
          const owner = yield* storedMailbox
          const first = yield* stored(owner)
          const bodyText = "x".repeat(LIST_BODY_MAX_LENGTH + 1)
          const second = yield* stored(owner, {
            createdAt: NOON + 1,
            status: "FAILED",
            content: { ...first.content, bodyText },
          })
          const third = yield* stored(owner, { createdAt: NOON + 2 })
          const wanted = { accountId: owner.accountId, mailboxId: null, scope: null, status: null }
          const ids = (
            over: Partial<typeof wanted> | object,
            after: DraftPosition | null = null,
            limit = 9,
          ) =>
            Effect.map(store.list({ ...wanted, ...over }, after, limit), ({ drafts, hasMore }) => [
              drafts.map(({ draft }) => draft.id),
              hasMore,
            ])
          expect(yield* ids({})).toEqual([[third.id, second.id, first.id], false])
          expect(yield* ids({}, null, 2)).toEqual([[third.id, second.id], true])
          expect(yield* ids({}, second, 2)).toEqual([[first.id], false])
          expect(yield* ids({ status: "FAILED" })).toEqual([[second.id], false])
          expect(yield* ids({ mailboxId: owner.id })).toEqual([[third.id, second.id, first.id], false])
          expect(yield* ids({ scope: [] })).toEqual([[], false])
          expect(yield* ids({ scope: [owner.id] }, null, 1)).toEqual([[third.id], true])
          expect(yield* store.count(owner.accountId)).toBe(3)

          const { drafts } = yield* store.list({ ...wanted, status: "FAILED" }, null, 1)
          expect(drafts.map(({ truncated, draft }) => [truncated, draft.content.bodyText?.length])).toEqual([
            [true, LIST_BODY_MAX_LENGTH],
          ])
          const whole = yield* store.byId(owner.accountId, second.id)
          expect(Option.map(whole, ({ content }) => content.bodyText)).toEqual(Option.some(bodyText))
        }),
      )

      it.effect("finds no draft of a mailbox that was removed", () =>
        Effect.gen(function* () {
          const store = yield* DraftStore
          const owner = yield* storedMailbox
          const draft = yield* stored(owner)
          yield* Effect.flatMap(MailboxStore, (mailboxes) => mailboxes.remove(owner.id))
          expect(yield* store.byId(owner.accountId, draft.id)).toEqual(Option.none())
          const wanted = { accountId: owner.accountId, mailboxId: null, scope: null, status: null }
          expect((yield* store.list(wanted, null, 9)).drafts).toEqual([])
        }),
      )

      it.effect("leases what is due, the longest due first, until the lease ends or the draft changes", () =>
        Effect.gen(function* () {
          const store = yield* DraftStore
          const owner = yield* storedMailbox
          const later = yield* stored(owner, { status: "SCHEDULED", dueAt: NOON + 1 })
          const sooner = yield* stored(owner, { status: "SCHEDULED", dueAt: NOON })
          yield* stored(owner, { status: "SCHEDULED", dueAt: NOON + HOUR })
          const claim = (limit: number, now: number, until = now + MINUTE) =>
            Effect.map(store.claim(limit, now, until, []), (found) => found.map(({ id }) => id))
          expect(yield* claim(1, NOON + 1)).toEqual([sooner.id])
          expect(yield* claim(9, NOON + 1)).toEqual([later.id])
          expect(yield* claim(9, NOON + 2)).toEqual([])
          yield* store.save(later)
          expect(yield* claim(9, NOON + 2, NOON + 7)).toEqual([later.id])
          yield* store.abandonClaim(NOON + 7)
          expect(yield* store.claim(9, NOON + 2, NOON + 9, [owner.accountId])).toEqual([])
          yield* store.lease(later.id, NOON + MINUTE)
          expect(yield* claim(9, NOON + 2)).toEqual([])
          expect((yield* claim(9, NOON + 2 * MINUTE)).sort()).toEqual([sooner.id, later.id].sort())
        }),
      )

      it.effect("defers the scheduled drafts of one mailbox that are due, and ends their leases", () =>
        Effect.gen(function* () {
          const store = yield* DraftStore
          const [owner, other] = [yield* storedMailbox, yield* storedMailbox]
          const due = { status: "SCHEDULED", dueAt: NOON } as const
          const first = yield* stored(owner, due)
          const drafts = [
            first,
            yield* stored(owner, { ...due, dueAt: NOON + 1 }),
            yield* stored(owner, { ...due, status: "PENDING_REVIEW" }),
            yield* stored(other, due),
          ]
          yield* store.claim(9, NOON, NOON + HOUR, [])
          yield* store.deferDue(first, NOON, NOON + MINUTE)
          expect(yield* dueTimes(drafts)).toEqual([NOON + MINUTE, NOON + 1, NOON, NOON])
          const claimed = yield* store.claim(9, NOON + MINUTE, NOON + HOUR, [])
          expect(claimed.map(({ id }) => id).sort()).toEqual([drafts[0]?.id, drafts[1]?.id].sort())
        }),
      )

      it.effect("defers the draft that is named and fifty others at a time", () =>
        Effect.gen(function* () {
          const store = yield* DraftStore
          const owner = yield* storedMailbox
          const due = { status: "SCHEDULED", dueAt: NOON } as const
          const drafts = yield* Effect.forEach(Array.range(1, 52), () => stored(owner, due))
          const last = yield* stored(owner, { ...due, dueAt: NOON + 1 })
          yield* store.deferDue(last, NOON + 1, NOON + MINUTE)
          const times = yield* dueTimes([...drafts, last])
          expect(times.filter((at) => at === NOON + MINUTE)).toHaveLength(51)
          expect(times.at(-1)).toBe(NOON + MINUTE)
        }),
      )

      it.effect("makes parked drafts of one account due at their time", () =>
        Effect.gen(function* () {
          const store = yield* DraftStore
          const [owner, other] = [yield* storedMailbox, yield* storedMailbox]
          const parked = { status: "SCHEDULED" as const, sendAt: NOON, dueAt: null }
          const own = yield* stored(owner, parked)
          const foreign = yield* stored(other, parked)
          const plain = yield* stored(owner, { sendAt: null })
          yield* store.resume(owner.accountId)
          expect(yield* dueTimes([own, foreign, plain])).toEqual([NOON, null, null])
        }),
      )

      it.effect("keeps the files of a draft, and returns the blobs of those that are removed", () =>
        Effect.gen(function* () {
          const files = yield* AttachmentStore
          const { run } = yield* Transactions
          const owner = yield* storedMailbox
          const draft = yield* stored(owner)
          const [first, second] = [anAttachment(owner.accountId), anAttachment(owner.accountId)]
          yield* files.insert([first, second])
          yield* run(files.keep([first.id, second.id], draft))
          expect(yield* files.remove(first.id)).toEqual(Option.none())
          expect(yield* run(files.removeOfDraft(draft.id, [first.id]))).toEqual({
            attachmentBytes: 100,
            blobKeys: [second.blobKey],
          })
          const [left] = yield* files.byIds(owner.accountId, [first.id, second.id])
          expect(left?.attachment).toEqual({ ...first, mailboxId: owner.id, draftId: draft.id })
        }),
      )
    })
  })
