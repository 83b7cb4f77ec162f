/** The examination for the operator (spec: admin.doctor): it ends in time, and tells what it corrected. */
import { expect, it } from "@effect/vitest"
import { AccountId, DOCTOR_FINDINGS_MAX, DOCTOR_TIME } from "@mailroom/domain"
import { type ComparedStep, examine, Integrity, IntegrityCheck } from "@mailroom/engine"
import { Effect, Fiber, Layer, Schema, Stream, TestClock } from "effect"

const accountId = Schema.decodeSync(AccountId)("01a20916-524c-7502-aa35-627cebdac419")

/** A step in which `wrong` of 100 counts were wrong. */
const step = (check: IntegrityCheck, wrong: number): ComparedStep => ({
  check,
  compared: 100,
  drifts: Array.from({ length: wrong }, (_, id) => ({
    check,
    accountId,
    id: `${id}`,
    stored: 1,
    counted: 2,
  })),
  isLast: true,
})

const withSteps = (check: Stream.Stream<ComparedStep>) =>
  Effect.flatten(examine).pipe(
    Effect.provide(Layer.succeed(Integrity, { check, turn: () => Effect.void, schedule: Effect.void })),
  )

it.effect("all counts that are compared in time are told, with the first wrong ones", () =>
  Effect.gen(function* () {
    const found = yield* withSteps(
      Stream.fromIterable(IntegrityCheck.literals).pipe(Stream.map((check) => step(check, 20))),
    )
    const checks = IntegrityCheck.literals.length
    expect(found).toMatchObject({ compared: checks * 100, wrong: checks * 20, isComplete: true })
    expect(found.findings).toHaveLength(DOCTOR_FINDINGS_MAX)
    expect(found.findings[0]).toEqual({ check: "thread-messages", accountId, id: "0", stored: 1, counted: 2 })
  }),
)

it.effect("an examination that takes longer ends between two statements, and says so", () =>
  Effect.gen(function* () {
    const steps = Stream.repeatEffect(Effect.as(Effect.sleep(DOCTOR_TIME * 0.4), step("thread-messages", 0)))
    const running = yield* Effect.fork(withSteps(steps))
    yield* TestClock.adjust(DOCTOR_TIME * 2)
    expect(yield* Fiber.join(running)).toEqual({ compared: 300, wrong: 0, findings: [], isComplete: false })
  }),
)
