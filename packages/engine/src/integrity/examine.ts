/** The check of counts for the operator who waits for the result: bounded in time and in what it tells. */
import { DOCTOR_FINDINGS_MAX, DOCTOR_TIME, type Examination, type Finding } from "@mailroom/domain"
import { Clock, Effect, Stream } from "effect"
import { IntegrityCheck } from "../ports/stores/IntegrityStore.js"
import { type ComparedStep, type Drift, Integrity } from "./Integrity.js"

const lastCheck = IntegrityCheck.literals.at(-1)

const findingOf = ({ check, accountId, id, stored, counted }: Drift): Finding => ({
  check,
  accountId,
  id,
  stored,
  counted,
})

const none: Examination = { compared: 0, wrong: 0, findings: [], isComplete: false }

const withStep = (before: Examination, { check, compared, drifts, isLast }: ComparedStep): Examination => ({
  compared: before.compared + compared,
  wrong: before.wrong + drifts.length,
  findings: [...before.findings, ...drifts.map(findingOf)].slice(0, DOCTOR_FINDINGS_MAX),
  isComplete: isLast && check === lastCheck,
})

/** Compares all counts, or those to which it comes in 10 s, and corrects wrong ones. */
export const examine: Effect.Effect<Effect.Effect<Examination>, never, Integrity> = Effect.map(
  Integrity,
  ({ check }) =>
    Effect.gen(function* () {
      const end = (yield* Clock.currentTimeMillis) + DOCTOR_TIME
      // Between two statements, so that no correction is left half done.
      const isOver = Effect.map(Clock.currentTimeMillis, (now) => now >= end)
      return yield* Stream.runFold(
        Stream.takeUntilEffect(check, () => isOver),
        none,
        withStep,
      )
    }).pipe(Effect.withSpan("Integrity.examine")),
)
