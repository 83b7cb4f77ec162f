/** The look at the store that makes up for signals that were missed (`Signals`). */
import { SECOND } from "@mailroom/domain"
import { Effect, type Scope } from "effect"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"

/** Milliseconds between two looks. */
const LOOK_EVERY = 15 * SECOND

export interface FallbackLook {
  /** Whether somebody depends on the look. Nothing runs while nobody does. */
  readonly setNeeded: (needed: boolean) => void
}

/**
 * Runs `look` every 15 s while it is needed, until the scope closes: one look for the whole process, however many wait.
 * A look that fails is logged, and the next one runs.
 */
export const makeFallbackLook = (
  what: string,
  look: Effect.Effect<void>,
): Effect.Effect<FallbackLook, never, Scope.Scope> =>
  Effect.gen(function* () {
    const needed = Effect.unsafeMakeLatch(false)
    yield* needed.await.pipe(
      Effect.zipRight(Effect.sleep(LOOK_EVERY)),
      Effect.zipRight(retryWhileUnavailable(look)),
      Effect.catchAllCause((cause) => Effect.logError(`Looking for missed ${what} failed`, cause)),
      Effect.forever,
      Effect.forkScoped,
    )
    return {
      setNeeded: (isNeeded) => {
        if (isNeeded) needed.unsafeOpen()
        else needed.unsafeClose()
      },
    }
  })
