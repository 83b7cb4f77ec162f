/** The warnings and errors that a process keeps for its operator (spec: admin.errors). */
import { expect, it } from "@effect/vitest"
import { LOGGED_ERRORS_MAX } from "@mailroom/domain"
import { LoggedErrors } from "@mailroom/http"
import { Effect, Layer } from "effect"

const newest = Effect.flatMap(LoggedErrors, (logged) => logged.newest)

it.effect(
  "warnings and errors are kept with their fields and cause, the newest first; other lines are not",
  () =>
    Effect.gen(function* () {
      yield* Effect.logInfo("started")
      yield* Effect.logWarning("slow", { seconds: 3 }).pipe(Effect.annotateLogs({ worker: "jobs" }))
      yield* Effect.fail("broken").pipe(
        Effect.tapErrorCause((cause) => Effect.logError("failed", cause)),
        Effect.ignore,
      )
      const [failed, slow, ...more] = yield* newest
      expect(more).toEqual([])
      expect(failed).toMatchObject({ level: "ERROR", message: "failed", at: "1970-01-01T00:00:00.000Z" })
      expect(failed?.detail).toContain("broken")
      expect(slow).toMatchObject({ level: "WARN", detail: "worker: jobs" })
      expect(slow?.message).toContain("3")
    }).pipe(Effect.provide(LoggedErrors.layer)),
)

it.effect(`${LOGGED_ERRORS_MAX} lines are kept, and long ones are cut`, () =>
  Effect.gen(function* () {
    yield* Effect.logError("x".repeat(10_000))
    for (let line = 1; line <= LOGGED_ERRORS_MAX; line++) yield* Effect.logWarning(`line ${line}`)
    const kept = yield* newest
    expect([kept.length, kept[0]?.message, kept.at(-1)?.message]).toEqual([
      LOGGED_ERRORS_MAX,
      `line ${LOGGED_ERRORS_MAX}`,
      "line 1",
    ])
    yield* Effect.logError("x".repeat(10_000))
    expect((yield* newest)[0]?.message.length).toBeLessThan(5_000)
  }).pipe(Effect.provide(LoggedErrors.layer)),
)

it.effect("without the layer nothing is kept", () =>
  Effect.gen(function* () {
    yield* Effect.logError("failed")
    expect(yield* newest).toEqual([])
  }).pipe(Effect.provide(Layer.empty)),
)
