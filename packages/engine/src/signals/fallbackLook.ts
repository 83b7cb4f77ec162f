/** Polls the store, because a signal may be missed (`Signals`). */
import { SECOND } from "@mailroom/domain"
import { Effect, type Scope } from "effect"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"

/** Milliseconds between two polls. */
const POLL_EVERY = 15 * SECOND

export interface FallbackLook {
  /** Whether a receiver waits. Nothing runs otherwise. */
  readonly setNeeded: (needed: boolean) => void
}

/**
 * Runs `look` every 15 s while it is needed, until the scope closes: one for the whole process, for any number of receivers.
 * A failure is logged, and polling continues.
 */
export const makeFallbackLook = (
  what: string,
  look: Effect.Effect<void>,
): Effect.Effect<FallbackLook, never, Scope.Scope> =>
  Effect.gen(function* () {
    const needed = Effect.unsafeMakeLatch(false)
    yield* needed.await.pipe(
      Effect.zipRight(Effect.sleep(POLL_EVERY)),
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
