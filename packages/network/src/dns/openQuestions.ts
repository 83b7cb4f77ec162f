/**
 * Bounds on the questions that are open. A new question never waits: where it exceeds a bound, the oldest open question
 * within that bound is given up. Answers come within milliseconds, so what is oldest is asked of silent servers.
 */
import { DnsFailure } from "@mailroom/engine"
import { Effect, Exit, Fiber, type Scope } from "effect"

/** Open questions of the process, of one asker, and about the names of one parent domain. Each costs a socket. */
export const OPEN_MAX = 512
export const OPEN_PER_ASKER = 64
export const OPEN_PER_DOMAIN = 32

/**
 * The last two labels of a name. Coarser than the domains that can be registered (`example.co.uk`), which is harmless:
 * a question about another name of the group is given up only when it is the oldest of 32.
 */
export const parentDomain = (host: string): string => host.toLowerCase().split(".").slice(-2).join(".")

export interface OpenQuestion<A> {
  /** Waits for the answer; fails with `not asked` when the question was given up. */
  readonly answer: Effect.Effect<A, DnsFailure>
  readonly isOpen: () => boolean
}

export interface OpenQuestions {
  /** Begins to ask, in a fiber that ends with the scope. `asker` is null for questions of the service itself. */
  readonly open: <A>(
    host: string,
    asker: string | null,
    ask: Effect.Effect<A, DnsFailure>,
  ) => Effect.Effect<OpenQuestion<A>>
}

interface Open {
  readonly domain: string
  readonly asker: string | null
}

export const makeOpenQuestions: Effect.Effect<OpenQuestions, never, Scope.Scope> = Effect.map(
  Effect.scope,
  (scope) => {
    /** oldest first */
    const questions = new Map<Fiber.RuntimeFiber<unknown, unknown>, Open>()

    /** Gives the oldest question up when `max` of those that `counts` are open already. */
    const makeRoom = (max: number, counts: (question: Open) => boolean): Effect.Effect<void> => {
      const among = [...questions].filter(([, question]) => counts(question))
      const [oldest] = among
      if (among.length < max || oldest === undefined) return Effect.void
      questions.delete(oldest[0])
      return Fiber.interruptFork(oldest[0])
    }

    return {
      open: <A>(host: string, asker: string | null, ask: Effect.Effect<A, DnsFailure>) =>
        Effect.gen(function* () {
          const domain = parentDomain(host)
          yield* makeRoom(OPEN_PER_DOMAIN, (question) => question.domain === domain)
          if (asker !== null) yield* makeRoom(OPEN_PER_ASKER, (question) => question.asker === asker)
          yield* makeRoom(OPEN_MAX, () => true)
          const fiber = yield* Effect.forkIn(Effect.interruptible(ask), scope)
          questions.set(fiber, { domain, asker })
          fiber.addObserver(() => questions.delete(fiber))
          const answer = Effect.flatMap(Fiber.await(fiber), (exit): Effect.Effect<A, DnsFailure> =>
            Exit.isInterrupted(exit) ? new DnsFailure({ host, reason: "not asked" }) : exit,
          )
          return { answer, isOpen: () => questions.has(fiber) }
        }),
    }
  },
)
