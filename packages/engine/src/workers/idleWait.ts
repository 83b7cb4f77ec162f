/** How a worker waits when it finds no work. */
import { Effect, Option } from "effect"

/** Milliseconds from a signal to the first look without another one. */
const FIRST_LOOK = 100

/**
 * Returns at a signal, or when it is time to look without one: 100 ms after the last signal, 200 ms later, and so on; `longest`
 * milliseconds later at most. A signal may come early: mail of a tenant is left to the process that delivers its other mail, and
 * what is due by the clock of the process that wrote it may not be by the clock of this one.
 */
export type IdleWait = (signal: Effect.Effect<void>, longest: number) => Effect.Effect<void>

/** One for each loop. */
export const makeIdleWait = (): IdleWait => {
  let pause = FIRST_LOOK
  return (signal, longest) =>
    Effect.suspend(() => {
      const wait = Math.min(pause, longest)
      return Effect.map(Effect.timeoutOption(signal, wait), (signalled) => {
        pause = Option.isSome(signalled) ? FIRST_LOOK : 2 * wait
      })
    })
}
