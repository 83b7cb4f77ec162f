import {
  baseSubject,
  type Linked,
  place,
  threadingIds,
  threadsBySubject,
  type ThreadHead,
  type ThreadId,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { drawn, threadId } from "./support/records.js"

const linked = (
  messageId: string | null,
  inReplyTo: ReadonlyArray<string> = [],
  references: ReadonlyArray<string> = [],
): Linked => ({
  messageId,
  inReplyTo,
  references,
})

/** A mailbox's threads as a store keeps them: every id seen, tied to a thread; absorbed threads point onward. */
const emptyIndex = () => ({
  tied: new Map<string, ThreadId>(),
  heads: new Map<ThreadId, ThreadHead>(),
  absorbed: new Map<ThreadId, ThreadId>(),
})
type Index = ReturnType<typeof emptyIndex>

const resolve = (index: Index, id: ThreadId): ThreadId => {
  const into = index.absorbed.get(id)
  return into === undefined ? id : resolve(index, into)
}

/** Threads one message; the thread it was given on arrival. */
const arrive = (index: Index, message: Linked, clock: number): ThreadId => {
  const ids = threadingIds(message)
  const tied = new Set(ids.flatMap((id) => index.tied.get(id) ?? []))
  const placement = place([...tied].flatMap((id) => index.heads.get(id) ?? []))
  const thread = placement.kind === "new" ? threadId(index.heads.size + 1) : placement.thread
  if (placement.kind === "new") index.heads.set(thread, { id: thread, createdAt: clock })
  else
    for (const lost of placement.absorbs) {
      index.absorbed.set(lost, thread)
      for (const [id, owner] of index.tied) if (owner === lost) index.tied.set(id, thread)
    }
  for (const id of ids) index.tied.set(id, thread)
  return thread
}

/** Lets all messages arrive in the order given; the thread each got on arrival, by its place in `messages`. */
const arriveAll = (
  messages: ReadonlyArray<Linked>,
  order: ReadonlyArray<number>,
  clock = (n: number) => n,
) => {
  const index = emptyIndex()
  const given = new Map<number, ThreadId>()
  for (const [n, position] of order.entries()) {
    const message = messages[position]
    if (message !== undefined) given.set(position, arrive(index, message, clock(n)))
  }
  return { index, given }
}

const partition = (
  positions: Iterable<number>,
  classOf: (position: number) => unknown,
): ReadonlyArray<string> => {
  const classes = new Map<unknown, Array<number>>()
  for (const position of positions)
    classes.set(classOf(position), [...(classes.get(classOf(position)) ?? []), position])
  return [...classes.values()].map((members) => members.sort((a, b) => a - b).join(",")).sort()
}

/** The connected components, found by walking from every message to all that share an id with it. */
const components = (messages: ReadonlyArray<Linked>): ReadonlyArray<string> => {
  const ids = messages.map(
    (m) => new Set([...(m.messageId === null ? [] : [m.messageId]), ...m.inReplyTo, ...m.references]),
  )
  const root = new Map<number, number>()
  for (const start of ids.keys()) {
    const reached = [start]
    for (const here of reached)
      if (!root.has(here)) {
        root.set(here, start)
        for (const [there, others] of ids.entries())
          if ([...(ids[here] ?? [])].some((id) => others.has(id))) reached.push(there)
      }
  }
  return partition(root.keys(), (position) => root.get(position))
}

const someId = FastCheck.integer({ min: 0, max: 14 }).map((n) => `<${n}@x>`)
const someMessage = FastCheck.record({
  messageId: FastCheck.option(someId, { nil: null }),
  inReplyTo: FastCheck.array(someId, { maxLength: 2 }),
  references: FastCheck.array(someId, { maxLength: 3 }),
})
/** Messages, and an order for them to arrive in. */
const someMail = FastCheck.array(someMessage, { minLength: 1, maxLength: 12 }).chain((messages) =>
  FastCheck.shuffledSubarray([...messages.keys()], { minLength: messages.length }).map((order) => ({
    messages,
    order,
  })),
)

describe("the partition", () => {
  it.prop(
    "decisions.threading.headers: threads are the connected components over all ids, ids never seen included",
    [someMail],
    ([{ messages, order }]) => {
      const { index, given } = arriveAll(messages, order)
      const threads = partition(messages.keys(), (position) => {
        const thread = given.get(position)
        return thread === undefined ? null : resolve(index, thread)
      })
      expect(threads).toEqual(components(messages))
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 2000 } },
  )

  it.prop(
    "decisions.threading.order: the partition does not depend on the order of arrival",
    [someMail],
    ([{ messages, order }]) => {
      const partitionOf = (sequence: ReadonlyArray<number>) => {
        const { index, given } = arriveAll(messages, sequence)
        return partition(messages.keys(), (position) => resolve(index, given.get(position) ?? threadId(0)))
      }
      expect(partitionOf(order)).toEqual(partitionOf([...messages.keys()]))
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 1000 } },
  )

  it.prop(
    "decisions.threading.merge: the older thread's id stays: a component has the id its first message was given",
    [someMail],
    ([{ messages, order }]) => {
      const { index, given } = arriveAll(messages, order)
      const first = new Map<ThreadId, ThreadId>()
      for (const position of order) {
        const thread = given.get(position) ?? threadId(0)
        const final = resolve(index, thread)
        if (!first.has(final)) first.set(final, thread)
        expect(final).toBe(first.get(final))
      }
    },
    drawn,
  )

  it.prop(
    "decisions.threading.headers: threads of the same millisecond merge into the same components",
    [someMail],
    ([{ messages, order }]) => {
      const { index, given } = arriveAll(messages, order, () => 0)
      expect(
        partition(messages.keys(), (position) => resolve(index, given.get(position) ?? threadId(0))),
      ).toEqual(components(messages))
    },
    drawn,
  )

  it.prop(
    "decisions.threading.order: a conversation whose chain of ids is longer than what is looked at is one thread, in any order",
    [FastCheck.shuffledSubarray([...Array(300).keys()], { minLength: 300 })],
    ([order]) => {
      const ids = Array.from({ length: 300 }, (_, n) => `<${n}@x>`)
      const chain = ids.map((id, n) => linked(id, ids.slice(Math.max(n - 1, 0), n), ids.slice(0, n)))
      const { index, given } = arriveAll(chain, order)
      expect(new Set(order.map((position) => resolve(index, given.get(position) ?? threadId(0)))).size).toBe(
        1,
      )
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 2 } },
  )

  it.prop(
    "decisions.threading.headers: ids beyond what is looked at tie nothing, in whatever order: the rest is as connected as it is",
    [
      FastCheck.array(someMessage, { minLength: 2, maxLength: 8 }).chain((messages) =>
        FastCheck.shuffledSubarray([...messages.keys()], { minLength: messages.length }).map((order) => ({
          messages,
          order,
        })),
      ),
    ],
    ([{ messages, order }]) => {
      const filler = Array.from({ length: 250 }, (_, n) => `<filler ${n}@x>`)
      const long = messages.map((message, n) =>
        n % 2 === 0
          ? { ...message, references: [...message.references, ...filler, ...message.inReplyTo] }
          : message,
      )
      const looked = long.map((message) => linked(null, threadingIds(message)))
      const { index, given } = arriveAll(long, order)
      expect(
        partition(messages.keys(), (position) => resolve(index, given.get(position) ?? threadId(0))),
      ).toEqual(components(looked))
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 30 } },
  )

  it("decisions.threading.unseen: two answers to a mail that never came are one thread", () => {
    const { given } = arriveAll([linked("<b@x>", ["<a@x>"]), linked("<c@x>", ["<a@x>"])], [0, 1])
    expect(given.get(1)).toBe(given.get(0))
  })

  it("decisions.threading.merge: a message that ties two threads makes them one", () => {
    const { index, given } = arriveAll(
      [linked("<a@x>"), linked("<b@x>"), linked("<c@x>", ["<b@x>"], ["<a@x>"])],
      [0, 1, 2],
    )
    expect(given.get(1)).not.toBe(given.get(0))
    expect(given.get(2)).toBe(given.get(0))
    expect(resolve(index, given.get(1) ?? threadId(0))).toBe(given.get(0))
  })

  it("decisions.threading.headers: messages without any id never meet", () => {
    const { given } = arriveAll([linked(null), linked(null)], [0, 1])
    expect(given.get(1)).not.toBe(given.get(0))
  })
})

describe("place", () => {
  const head = (n: number, createdAt: number): ThreadHead => ({ id: threadId(n), createdAt })

  it("decisions.threading.headers: a message tied to nothing starts a thread", () => {
    expect(place([])).toEqual({ kind: "new" })
  })

  it("decisions.threading.headers: a message tied to one thread joins it", () => {
    expect(place([head(1, 5)])).toEqual({ kind: "join", thread: threadId(1), absorbs: [] })
  })

  it("decisions.threading.merge: the oldest thread absorbs the others, whatever their order", () => {
    const heads = [head(1, 30), head(2, 10), head(3, 20)]
    for (const tied of [heads, [...heads].reverse()])
      expect(place(tied)).toEqual({ kind: "join", thread: threadId(2), absorbs: [threadId(3), threadId(1)] })
  })

  it("decisions.threading.merge: of threads of the same millisecond the lower id stays, whatever their order", () => {
    expect(place([head(2, 10), head(1, 10)])).toMatchObject({ thread: threadId(1), absorbs: [threadId(2)] })
    expect(place([head(1, 10), head(2, 10)])).toMatchObject({ thread: threadId(1), absorbs: [threadId(2)] })
  })

  it("decisions.threading.merge: a thread is absorbed once, however often it is tied", () => {
    expect(place([head(1, 10), head(2, 20), head(2, 20)])).toMatchObject({ absorbs: [threadId(2)] })
  })

  it("decisions.threading.merge: a thread never absorbs itself", () => {
    expect(place([head(1, 10), head(1, 10)])).toEqual({ kind: "join", thread: threadId(1), absorbs: [] })
  })
})

describe("threadingIds", () => {
  it("decisions.threading.headers: are the Message-ID, In-Reply-To and References, once each", () => {
    const ids = threadingIds(linked("<c@x>", ["<b@x>"], ["<a@x>", "<b@x>", "<c@x>"]))
    expect([...ids].sort()).toEqual(["<a@x>", "<b@x>", "<c@x>"])
  })

  it("decisions.threading.headers: none where there are no headers", () => {
    expect(threadingIds(linked(null))).toEqual([])
  })

  it("decisions.threading.headers: an absurdly long chain keeps its own id, its root and its newest ids", () => {
    const chain = Array.from({ length: 5000 }, (_, n) => `<${n}@x>`)
    const ids = threadingIds(linked("<own@x>", ["<4999@x>"], chain))
    expect(ids.length).toBeLessThanOrEqual(200)
    expect(ids).toContain("<own@x>")
    expect(ids).toContain("<0@x>")
    expect(ids).toContain("<4999@x>")
    expect(ids).toContain("<4900@x>")
  })
})

describe("threading by subject", () => {
  it("decisions.threading.subject: only an answer with none of the three headers is threaded by its subject", () => {
    expect(threadsBySubject(linked(null), true)).toBe(true)
    expect(threadsBySubject(linked(null), false)).toBe(false)
    expect(threadsBySubject(linked("<a@x>"), true)).toBe(false)
    expect(threadsBySubject(linked(null, ["<a@x>"]), true)).toBe(false)
    expect(threadsBySubject(linked(null, [], ["<a@x>"]), true)).toBe(false)
  })

  it("decisions.threading.subject: an answer without a base subject joins nothing", () => {
    expect(threadsBySubject(linked(null), true, "plan")).toBe(true)
    expect(threadsBySubject(linked(null), true, baseSubject("Re: Fwd:"))).toBe(false)
  })
})
