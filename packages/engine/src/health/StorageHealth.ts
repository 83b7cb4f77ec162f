/** Whether the database and the blob store can write now, for `/readyz` (docs/decisions/0058). */
import { SECOND } from "@mailroom/domain"
import { Cause, Clock, Context, Effect, Exit, Layer, Option, Stream } from "effect"
import { Blobs } from "../ports/Blobs.js"
import { type StorageFailure, storageFailureIn } from "../ports/StorageFailure.js"
import { WriteCheckStore } from "../ports/stores/WriteCheckStore.js"

/** Milliseconds for which a look counts: requests for it cause one write of each kind a second at most. */
const LOOK_COUNTS_FOR = 1 * SECOND
/** Milliseconds that one write may take. Those who ask for readiness seldom wait longer than 3 s. */
const WRITE_WITHIN = 2 * SECOND

/** The blob that each look replaces. */
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

/** What is wrong with a write, after `WRITE_WITHIN` at the latest. */
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
     * Writes to both, or returns the result of a look that is not older than a second. Takes two seconds at most; those
     * who ask at the same time share one look.
     */
    readonly problems: Effect.Effect<StorageProblems>
  }
>() {
  static readonly layer: Layer.Layer<StorageHealth, never, Blobs | WriteCheckStore> = Layer.effect(
    StorageHealth,
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const database = yield* WriteCheckStore
      const look = Effect.all(
        {
          database: problemOf("database", Effect.flatMap(Clock.currentTimeMillis, database.write)),
          blobs: problemOf(
            "blob store",
            Effect.suspend(() => blobs.put(BLOB_KEY, Stream.make(new Uint8Array([1])))),
          ),
        },
        { concurrency: 2 },
      )
      return { problems: yield* Effect.cachedWithTTL(look, LOOK_COUNTS_FOR) }
    }),
  )
}
