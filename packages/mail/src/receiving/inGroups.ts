/** Work that costs the same for one as for many: what is asked for at the same time is done together. */
import { Exit } from "effect"

/** The pause in which a group gathers, milliseconds: long enough for other senders to get a mail across. */
const MOMENT = 1

interface Asked<A, B> {
  readonly request: A
  readonly answer: (exit: Exit.Exit<B>) => void
}

/**
 * Makes of `work`, which answers requests in their order, a function that takes one request. Groups run one after
 * another; a group that fails, fails for each of its members. A lone request waits for one turn of the event loop,
 * in which sockets that are ready hand over what they have; with `patient` a group that follows one with company
 * waits a moment for some.
 */
export const inGroups = <A, B>(options: {
  readonly max: number
  readonly patient: boolean
  readonly work: (requests: ReadonlyArray<A>, onExit: (exit: Exit.Exit<ReadonlyArray<B>>) => void) => void
}): ((request: A, answer: (exit: Exit.Exit<B>) => void) => void) => {
  let waiting: Array<Asked<A, B>> = []
  let busy = false
  let lastSize = 1

  const gather = (): void => {
    busy = true
    if (options.patient && lastSize > 1) setTimeout(close, MOMENT)
    else setImmediate(close)
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
