/** Work that costs the same for one as for many: what is asked for at the same time is done together. */
import { Exit } from "effect"

/** Milliseconds without activity after which nobody else is about to ask: a client takes less to go on. */
const QUIET = 0.2
/** The longest a group gathers, milliseconds: as much as a handful of commits. */
const GATHERING_MAX = 4

interface Asked<A, B> {
  readonly request: A
  readonly answer: (exit: Exit.Exit<B>) => void
}

/**
 * Makes of `work`, which answers requests in their order, a function that takes one request. Groups run one after
 * another; a group that fails, fails for each of its members. A lone request waits for one turn of the event loop,
 * in which sockets that are ready hand over what they have. A group that follows one with company gathers for as long
 * as there is activity, of which `activity` returns a count that grows: others are about to ask too.
 */
export const inGroups = <A, B>(options: {
  readonly max: number
  readonly activity: () => number
  /** milliseconds, finer than whole ones */
  readonly now: () => number
  readonly work: (requests: ReadonlyArray<A>, onExit: (exit: Exit.Exit<ReadonlyArray<B>>) => void) => void
}): ((request: A, answer: (exit: Exit.Exit<B>) => void) => void) => {
  let waiting: Array<Asked<A, B>> = []
  let busy = false
  let lastSize = 1

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
      const isOver =
        waiting.length >= options.max || now - activeAt > QUIET || now - startedAt > GATHERING_MAX
      if (lastSize === 1 || isOver) close()
      else setImmediate(turn)
    }
    setImmediate(turn)
  }

  const close = (): void => {
    const group = waiting.slice(0, options.max)
    waiting = waiting.slice(options.max)
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
    if (!busy) gather()
  }
}

const answerAt = <B>(answers: ReadonlyArray<B>, index: number): Exit.Exit<B> => {
  const answer = answers[index]
  return answer === undefined ? Exit.die(new Error("a group was answered in part")) : Exit.succeed(answer)
}
