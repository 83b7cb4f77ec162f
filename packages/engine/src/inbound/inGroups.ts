/** Work that costs the same for one as for many: what is asked for at the same time is done together. */
import { Deferred, Effect, Exit, Queue, type Scope } from "effect"

/** One turn of the event loop: sockets that are ready hand over what they have. Real time, whatever the clock says. */
export const turnOfTheLoop = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** Long enough for other senders to get a mail across, short beside a commit. */
export const moment = Effect.async<void>((resume) => {
  setTimeout(() => resume(Effect.void), 1)
})

interface Asked<A, B> {
  readonly request: A
  readonly answer: Deferred.Deferred<B>
}

/**
 * Makes of `work`, which answers requests in their order, a function that takes one request. Groups run one after
 * another; a group that dies, dies for each of its members. `gather` is the pause before a group is closed, given
 * how large the one before it was.
 */
export const inGroups = <A, B>(options: {
  readonly max: number
  readonly gather: (lastSize: number) => Effect.Effect<void>
  readonly work: (requests: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>>
}): Effect.Effect<(request: A) => Effect.Effect<B>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting = yield* Queue.unbounded<Asked<A, B>>()

    const nextGroup = Effect.fnUntraced(function* (lastSize: number) {
      const first = yield* Queue.take(waiting)
      yield* options.gather(lastSize)
      const group = [first, ...(yield* Queue.takeUpTo(waiting, options.max - 1))]
      const answers = yield* Effect.exit(options.work(group.map(({ request }) => request)))
      for (const [index, { answer }] of group.entries())
        Deferred.unsafeDone(
          answer,
          Exit.flatMap(answers, (all) => answerAt(all, index)),
        )
      return group.length
    })
    yield* Effect.forkScoped(Effect.iterate(1, { while: () => true, body: nextGroup }))

    return (request) =>
      Effect.flatMap(Deferred.make<B>(), (answer) =>
        Effect.zipRight(Queue.offer(waiting, { request, answer }), Deferred.await(answer)),
      )
  })

const answerAt = <B>(answers: ReadonlyArray<B>, index: number): Exit.Exit<B> => {
  const answer = answers[index]
  return answer === undefined ? Exit.die(new Error("a group was answered in part")) : Exit.succeed(answer)
}
