/** Passwords as argon2id hashes. */
import { Passwords } from "@mailroom/engine"
import { hash, verify } from "@node-rs/argon2"
import { Effect, Layer } from "effect"

/** argon2id with 19 MiB, two passes and one lane (OWASP Password Storage Cheat Sheet). argon2id is the library's default. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Concurrent hashes, so that many sign-ins use neither all memory nor all threads. */
const CONCURRENCY = 4

/** Whether the library refused the hash as malformed. Its other errors are not the caller's fault. */
const isMalformed = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "InvalidArg"

export const Argon2Passwords = {
  /** Hashes in the PHC string format, off the main thread. A malformed hash matches no password. */
  layer: Layer.effect(
    Passwords,
    Effect.map(Effect.makeSemaphore(CONCURRENCY), (permits) => {
      // A running hash cannot be cancelled, so the permit is held until it is done.
      const withPermit = <A, E>(work: Effect.Effect<A, E>) =>
        permits.withPermits(1)(Effect.uninterruptible(work))

      return Passwords.of({
        hash: Effect.fn("Argon2Passwords.hash")((password: string) =>
          withPermit(Effect.promise(() => hash(password, PARAMETERS))),
        ),
        verify: Effect.fn("Argon2Passwords.verify")((hashed: string, password: string) =>
          withPermit(
            Effect.tryPromise({ try: () => verify(hashed, password), catch: (error) => error }),
          ).pipe(
            Effect.catchIf(isMalformed, () => Effect.succeed(false)),
            Effect.orDie,
          ),
        ),
      })
    }),
  ),
}
