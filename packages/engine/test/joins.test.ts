/** Merging threads of any size (`spec: decisions.threading.merge`; docs/decisions/0044). */
import { describe, expect } from "@effect/vitest"
import { ThreadId } from "@mailroom/domain"
import { DeliveryWorker, Jobs, MessageChanges, Messages, ThreadStore, Transactions } from "@mailroom/engine"
import { SqlClient } from "@effect/sql"
import { Context, Effect, FastCheck, Layer, Ref, Schema } from "effect"
import { accepted, aMail } from "./support/arrivals.js"
import { correctedCounts } from "./support/integrity.js"
import { ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying } from "./support/owners.js"
import { itemsOf, listed, subjectsOf, threadsOf } from "./support/reading.js"
import { readableStores } from "./support/tables.js"

/** Rows that one transaction of a merge rewrites: few, so that three messages make a large thread. */
class Bound extends Context.Tag("test/Bound")<Bound, Ref.Ref<number>>() {}

const boundedMoves = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* ThreadStore
    const bound = yield* Ref.make(Infinity)
    const bounded: ThreadStore["Type"] = {
      ...store,
      absorb: (from, into, limit) =>
        Effect.flatMap(Ref.get(bound), (most) => store.absorb(from, into, Math.min(limit, most))),
      move: (from) => store.move(from, 1),
    }
    return Context.make(ThreadStore, bounded).pipe(Context.add(Bound, bound))
  }),
)

const NAMES = 8

type Step =
  | { readonly kind: "arrive"; readonly name: number; readonly answers: ReadonlyArray<number> }
  | { readonly kind: "move" }
  | { readonly kind: "delete"; readonly name: number }

const someName = FastCheck.integer({ min: 0, max: NAMES - 1 })

/** Mails with random references in any order, between steps of moves and deletions. */
const someSteps = FastCheck.tuple(
  FastCheck.shuffledSubarray(
    Array.from({ length: NAMES }, (_, name) => name),
    { minLength: NAMES },
  ),
  FastCheck.array(FastCheck.array(someName, { maxLength: 3 }), { minLength: NAMES, maxLength: NAMES }),
  FastCheck.array(
    FastCheck.oneof(
      { weight: 4, arbitrary: FastCheck.constant<Step>({ kind: "move" }) },
      { weight: 1, arbitrary: someName.map((name): Step => ({ kind: "delete", name })) },
    ),
    { maxLength: 12 },
  ),
  FastCheck.infiniteStream(FastCheck.nat({ max: 2 })),
).map(([order, answers, between, gaps]) => {
  const rest = [...between]
  return order.flatMap((name, index): ReadonlyArray<Step> => {
    const gap = gaps.next().value
    return [{ kind: "arrive", name, answers: answers[index] ?? [] }, ...rest.splice(0, gap ?? 0)]
  })
})

const drain = Effect.flatMap(Jobs, (jobs) => jobs.drain)

const decodeMoves = Schema.decodeUnknown(Schema.Array(Schema.Struct({ id: Schema.String })))

/** The threads that are still being moved, oldest first. */
const moving = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* decodeMoves(yield* sql`SELECT old_id AS id FROM thread_moves ORDER BY old_id`)
  return found.map(({ id }) => id)
}).pipe(Effect.orDie)

/** The visible result of one run: which mails share a thread, and the counts of the threads. */
const seen = (owner: Owner, run: string) =>
  Effect.gen(function* () {
    const here = (yield* listed(owner)).filter(({ subject }) => subject.startsWith(run))
    const together = new Map<ThreadId, Array<string>>()
    for (const { threadId, subject } of here)
      together.set(threadId, [...(together.get(threadId) ?? []), subject.slice(run.length)])
    const messages = yield* Messages
    const principal = yield* as(owner)
    const threads = yield* Effect.forEach(together, ([id, subjects]) =>
      Effect.gen(function* () {
        const { thread, messages: items } = yield* messages.thread(principal, owner.mailboxId, id)
        expect(subjectsOf(itemsOf(items)).map((subject) => subject.slice(run.length))).toEqual(
          [...subjects].reverse(),
        )
        const inThread = yield* listed(owner, { threadId: id })
        expect(inThread.map(({ threadId }) => threadId)).toEqual(subjects.map(() => id))
        return {
          subjects: [...subjects].sort().join(" "),
          count: thread.messageCount,
          at: thread.lastMessageAt,
        }
      }),
    )
    return threads.sort((a, b) => a.subjects.localeCompare(b.subjects))
  })

const play = (owner: Owner, run: string, steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const store = yield* ThreadStore
    const transactions = yield* Transactions
    const changes = yield* MessageChanges
    const worker = yield* DeliveryWorker
    const idOf = (name: number) => `<${run}${name}@elsewhere.org>`
    for (const step of steps)
      if (step.kind === "arrive") {
        const mail = {
          subject: `${run}${step.name}`,
          id: idOf(step.name),
          references: step.answers.map(idOf),
        }
        yield* accepted(owner.address, aMail(mail))
        yield* worker.drain
      } else if (step.kind === "move") {
        const [first] = yield* moving
        if (first !== undefined) yield* transactions.run(store.move(ThreadId.make(first), 1))
      } else {
        const message = (yield* listed(owner)).find(({ subject }) => subject === `${run}${step.name}`)
        if (message !== undefined) yield* changes.remove(yield* as(owner), owner.mailboxId, message.id)
      }
  })

describe("merging threads", () => {
  ruleWith(Layer.provideMerge(boundedMoves, readableStores))(
    "has the same result in many steps with arrivals and deletions in between as in one step",
    Effect.gen(function* () {
      const owner = yield* paying()
      const bound = yield* Bound
      const sampled = FastCheck.sample(someSteps, { seed: 20_280_229, numRuns: 25 })
      for (const [index, steps] of sampled.entries()) {
        yield* Ref.set(bound, Infinity)
        yield* play(owner, `whole-${index}-`, steps)
        const expected = yield* seen(owner, `whole-${index}-`)
        yield* Ref.set(bound, index % 2)
        yield* play(owner, `steps-${index}-`, steps)
        expect(yield* seen(owner, `steps-${index}-`)).toEqual(expected)
        if (index % 5 === 0) expect(yield* correctedCounts).toEqual([])
        if (index % 3 === 0) yield* drain
        expect(yield* seen(owner, `steps-${index}-`)).toEqual(expected)
      }
      yield* drain
      expect(yield* moving).toEqual([])
      expect(yield* correctedCounts).toEqual([])
      expect((yield* threadsOf(owner)).threads.length).toBeGreaterThan(0)
    }),
  )
})
