/** The order in which fibers get the one connection of SQLite. */
import { isPatient } from "@mailroom/engine"
import { Effect, Scope } from "effect"

/** Fibers that may overtake a waiting patient one in a row. */
const OVERTAKING_MAX = 8

/** A fiber that waits. */
interface Waiter {
  readonly isTransaction: boolean
  resume: () => void
  hasConnection: boolean
}

/**
 * Lends the connection to one fiber at a time, until its scope closes: for a statement or for a transaction, first come, first served.
 * Patient fibers (`isPatient`) wait for the others, and one patient transaction begins in a turn of the event loop. A transaction of a
 * flood takes some 20 ms, in which nothing else runs. Several in one turn would hold up sockets, timers and the replies of parser
 * threads: the mail of quiet tenants (docs/decisions/0046).
 */
export const connectionTurns = <A>(connection: A) => {
  const waiting = new Set<Waiter>()
  const patient = new Set<Waiter>()
  let isTaken = false
  let overtaking = 0
  /** whether a patient transaction ran in this turn of the event loop */
  let hadPatientTurn = false

  /** Called when a patient transaction begins. */
  const endPatientTurn = () => {
    hadPatientTurn = true
    setImmediate(() => {
      hadPatientTurn = false
      if (!isTaken) handOver()
    })
  }

  /** Hands the connection to the next fiber. */
  const handOver = () => {
    const [first] = waiting
    const [firstPatient] = hadPatientTurn
      ? [...patient].filter(({ isTransaction }) => !isTransaction)
      : patient
    const isOvertaking = first !== undefined && firstPatient !== undefined && overtaking < OVERTAKING_MAX
    overtaking = isOvertaking ? overtaking + 1 : 0
    const next = isOvertaking ? first : (firstPatient ?? first)
    isTaken = next !== undefined
    if (next === undefined) return
    waiting.delete(next)
    if (patient.delete(next) && next.isTransaction) endPatientTurn()
    next.hasConnection = true
    next.resume()
  }
  const release = Effect.sync(handOver)

  const waitIn = (queue: Set<Waiter>, waiter: Waiter) =>
    Effect.async<void>((resume) => {
      waiter.resume = () => resume(Effect.void)
      queue.add(waiter)
      return Effect.sync(() => queue.delete(waiter))
    })

  const held = Effect.flatMap(Effect.scope, (scope) =>
    Effect.as(Scope.addFinalizer(scope, release), connection),
  )

  const take = (isTransaction: boolean) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.withFiberRuntime<A, never, Scope.Scope>((fiber) => {
        const isLast = fiber.getFiberRef(isPatient)
        const mayTake = !isTaken && !(isLast && isTransaction && hadPatientTurn)
        if (mayTake) {
          isTaken = true
          if (isLast && isTransaction) endPatientTurn()
          return held
        }
        const waiter: Waiter = { isTransaction, resume: () => {}, hasConnection: false }
        // An interruption may come after the connection was handed over, and before the fiber goes on.
        const handOn = Effect.suspend(() => (waiter.hasConnection ? release : Effect.void))
        return Effect.zipRight(
          Effect.onError(restore(waitIn(isLast ? patient : waiting, waiter)), () => handOn),
          held,
        )
      }),
    )

  return { statement: take(false), transaction: take(true) }
}
