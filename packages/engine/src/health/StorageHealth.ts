/** Whether the database and the blob store can write now, for `/readyz` (docs/decisions/0058). */
import { SECOND } from "@mailroom/domain"
import { Cause, Clock, Context, Effect, Exit, Layer, Option, Stream } from "effect"
import { Blobs } from "../ports/Blobs.js"
import { type StorageFailure, storageFailureIn } from "../ports/StorageFailure.js"
import { WriteCheckStore } from "../ports/stores/WriteCheckStore.js"

/** Milliseconds that a result is cached: requests cause one write of each kind a second at most. */
const CACHED_FOR = 1 * SECOND
/** Milliseconds that one write may take. Load balancers seldom wait longer than 3 s for readiness. */
const WRITE_WITHIN = 2 * SECOND

/** The blob that each check overwrites. */
const BLOB_KEY = "checks/write"

/** Why writing fails, without addresses or statements; null while it succeeds. */
export interface StorageProblems {
  readonly database: string | null
  readonly blobs: string | null
}

const words: Readonly<Record<StorageFailure["reason"], string>> = {
  full: "no space left",
  unavailable: "no connection, or no answer",
  exceeded: "a write takes too long",
  unexpected: "a write failed; see the log",
}

/** The problem of a write, null if it succeeds. Takes 2 s at most. */
const problemOf = (what: string, write: Effect.Effect<unknown>): Effect.Effect<string | null> =>
  Effect.gen(function* () {
    const exit = yield* Effect.timeoutOption(Effect.disconnect(Effect.exit(write)), WRITE_WITHIN)
    if (Option.isNone(exit)) return `no answer within ${WRITE_WITHIN / SECOND} s`
    if (Exit.isSuccess(exit.value)) return null
    const failure = storageFailureIn(exit.value.cause)
    const reason = Option.match(failure, { onNone: () => "unexpected" as const, onSome: (one) => one.reason })
    if (reason === "unexpected" && !Cause.isInterrupted(exit.value.cause))
      yield* Effect.logError(`The check whether the ${what} can write failed`, exit.value.cause)
    return words[reason]
  })

export class StorageHealth extends Context.Tag("@mailroom/StorageHealth")<
  StorageHealth,
  {
    /**
     * Writes to both, or returns a result that is not older than a second. Takes 2 s at most. Concurrent callers share one
     * check.
     */
    readonly problems: Effect.Effect<StorageProblems>
  }
>() {
  static readonly layer: Layer.Layer<StorageHealth, never, Blobs | WriteCheckStore> = Layer.effect(
    StorageHealth,
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const database = yield* WriteCheckStore
      const check = Effect.all(
        {
          database: problemOf("database", Effect.flatMap(Clock.currentTimeMillis, database.write)),
          blobs: problemOf(
            "blob store",
            Effect.suspend(() => blobs.put(BLOB_KEY, Stream.make(new Uint8Array([1])))),
          ),
        },
        { concurrency: 2 },
      )
      return { problems: yield* Effect.cachedWithTTL(check, CACHED_FOR) }
    }),
  )
}
