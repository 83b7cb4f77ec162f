/** Makes groups of requests that arrive at the same time, so that one commit or one lookup serves each group (docs/decisions/0002). */
import { Exit } from "effect"

/** Milliseconds without activity after which a group closes: a client sends its next command sooner. */
const QUIET = 0.2
/** Milliseconds that a group gathers at most, the time of some five commits. */
const GATHERING_MAX = 4

interface Waiting<A, B> {
  readonly request: A
  readonly answer: (exit: Exit.Exit<B>) => void
}

/**
 * Turns `work`, which answers a group of requests in their order, into a function of one request. Groups run one after
 * another; a failure of a group goes to each of its requests. A lone request waits for one turn of the event loop, in
 * which ready sockets are read. After a group of several, the next one gathers requests while there is activity: while
 * the count that `activity` returns grows.
 */
export const groupRequests = <A, B>(options: {
  /** requests of one group */
  readonly max: number
  /** limits the total weight of a group; a request above `max` is a group of its own */
  readonly weigh?: { readonly of: (request: A) => number; readonly max: number }
  readonly activity: () => number
  /** milliseconds with fractions */
  readonly now: () => number
  readonly work: (requests: ReadonlyArray<A>, onExit: (exit: Exit.Exit<ReadonlyArray<B>>) => void) => void
}): ((request: A, answer: (exit: Exit.Exit<B>) => void) => void) => {
  const weightOf = options.weigh?.of ?? (() => 0)
  const weightMax = options.weigh?.max ?? 0
  const waiting: Array<Waiting<A, B>> = []
  let waitingWeight = 0
  let busy = false
  let lastSize = 1

  /** How many waiting requests make the next group. */
  const nextSize = (): number => {
    let size = 0
    let weight = 0
    for (const { request } of waiting) {
      weight += weightOf(request)
      if (size === options.max || (size > 0 && weight > weightMax)) break
      size++
    }
    return size
  }

  const gather = (): void => {
    busy = true
    const startedAt = options.now()
    let activeAt = startedAt
    let seen = options.activity()
    const turn = (): void => {
      const now = options.now()
      const count = options.activity()
      if (count !== seen) activeAt = now
      seen = count
      const isFull = waiting.length >= options.max || waitingWeight > weightMax
      const isOver = isFull || now - activeAt > QUIET || now - startedAt > GATHERING_MAX
      if (lastSize === 1 || isOver) close()
      else setImmediate(turn)
    }
    setImmediate(turn)
  }

  const close = (): void => {
    const group = waiting.splice(0, nextSize())
    for (const { request } of group) waitingWeight -= weightOf(request)
    lastSize = group.length
    options.work(
      group.map(({ request }) => request),
      (exit) => {
        busy = false
        if (waiting.length > 0) gather()
        for (const [index, { answer }] of group.entries())
          answer(Exit.flatMap(exit, (answers) => answerAt(answers, index)))
      },
    )
  }

  return (request, answer) => {
    waiting.push({ request, answer })
    waitingWeight += weightOf(request)
    if (!busy) gather()
  }
}

const answerAt = <B>(answers: ReadonlyArray<B>, index: number): Exit.Exit<B> => {
  const answer = answers[index]
  return answer === undefined ? Exit.die(new Error("a group was answered in part")) : Exit.succeed(answer)
}
