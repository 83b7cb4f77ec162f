/** Labels that two processes add at once are all there, on messages and in filtered lists (spec: lists.labels.at-once). */
import { describe, expect, it } from "@effect/vitest"
import { anyMessage, LABELS_MAX } from "@mailroom/domain"
import { Lists, MessageChanges } from "@mailroom/engine"
import { freshDatabase } from "@mailroom/test-services"
import { clockAt } from "@mailroom/testing"
import { Effect, Layer } from "effect"
import { NOON } from "../support/mailroom.js"
import { as, type Owner, paying } from "../support/owners.js"
import { engineOn } from "../support/postgres.js"
import { arrival, itemsOf } from "../support/reading.js"

describe("labels that two processes add and remove at once", () => {
  it.scoped("are all added and removed, by message and by thread, and lists find them", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase()
      const one = yield* Layer.build(engineOn(url, "one", Layer.empty))
      const other = yield* Layer.build(engineOn(url, "other", Layer.empty))
      const { owner, message } = yield* Effect.gen(function* () {
        const paid: Owner = yield* paying()
        return { owner: paid, message: yield* arrival(paid) }
      }).pipe(Effect.provide(one))
      const labels = Array.from({ length: LABELS_MAX }, (_, index) => `l${index}`)
      const change = (patch: (label: string) => Parameters<MessageChanges["Type"]["updateThread"]>[3]) =>
        Effect.forEach(
          labels,
          (label, index) =>
            Effect.gen(function* () {
              const changes = yield* MessageChanges
              const principal = yield* as(owner)
              yield* index % 3 === 0
                ? changes.updateThread(principal, owner.mailboxId, message.threadId, patch(label))
                : changes.update(principal, owner.mailboxId, message.id, patch(label))
            }).pipe(Effect.provide(index % 2 === 0 ? one : other)),
          { concurrency: "unbounded", discard: true },
        )
      const found = (wanted: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const lists = yield* Lists
          const filter = { ...anyMessage, labels: wanted }
          const query = { filter, order: "desc", after: null, limit: 10 } as const
          return itemsOf((yield* lists.messages(yield* as(owner), query)).page.items)
        }).pipe(Effect.provide(one))

      yield* change((label) => ({ addLabels: [label] }))
      const [labelled] = yield* found(labels)
      expect([...(labelled?.labels ?? [])].sort()).toEqual([...labels].sort())
      yield* change((label) => ({ removeLabels: [label] }))
      for (const label of labels) expect(yield* found([label])).toEqual([])
      expect((yield* found([]))[0]?.labels).toEqual([])
    }).pipe(Effect.provide(clockAt(NOON))),
  )
})
