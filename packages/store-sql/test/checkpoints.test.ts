/** The thread that checkpoints the write-ahead log of SQLite. */
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Logger } from "effect"
import { keepLogShort } from "../src/sqlite/checkpoints.js"

it.scopedLive("has a log line when it dies", () =>
  Effect.gen(function* () {
    const said = yield* Deferred.make<unknown>()
    const logger = Logger.make(({ message }) => {
      Deferred.unsafeDone(said, Effect.succeed(message))
    })
    yield* Effect.provide(
      Effect.zipRight(keepLogShort("/no such folder/mail.db"), Deferred.await(said)),
      Logger.add(logger),
    )
    expect(yield* Deferred.await(said)).toEqual([
      "A worker thread was lost",
      { thread: "checkpoints", reason: expect.any(String) },
    ])
  }),
)
