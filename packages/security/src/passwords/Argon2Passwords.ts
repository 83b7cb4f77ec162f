/** Passwords as argon2id hashes. */
import { Passwords } from "@mailroom/engine"
import { hash, verify } from "@node-rs/argon2"
import { Effect, Layer } from "effect"

/** OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. The variant is the library's default. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Hashes at once, so that a rush of sign-ins takes neither all memory nor all threads. */
const AT_ONCE = 4

/** Whether the library refused the hash itself; everything else it fails with is not the caller's doing. */
const isMalformed = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "InvalidArg"

export const Argon2Passwords = {
  /** Hashes in the PHC format, off the main thread. What is no such hash fits no password. */
  layer: Layer.effect(
    Passwords,
    Effect.map(Effect.makeSemaphore(AT_ONCE), (permits) => {
      // A running hash cannot be called off: its permit stays taken until it is done.
      const inTurn = <A, E>(work: Effect.Effect<A, E>) => permits.withPermits(1)(Effect.uninterruptible(work))

      return Passwords.of({
        hash: Effect.fn("Argon2Passwords.hash")((password: string) =>
          inTurn(Effect.promise(() => hash(password, PARAMETERS))),
        ),
        verify: Effect.fn("Argon2Passwords.verify")((hashed: string, password: string) =>
          inTurn(Effect.tryPromise({ try: () => verify(hashed, password), catch: (error) => error })).pipe(
            Effect.catchIf(isMalformed, () => Effect.succeed(false)),
            Effect.orDie,
          ),
        ),
      })
    }),
  ),
}
