/**
 * Every two use cases on one account, on two engines over one Postgres. The first is held before one of its statements
 * while the second runs until it ends or waits for a lock of the first. `npm test` does a sample; `npm run races` holds
 * the first at each of its statements in turn, for every pair.
 */
import { describe, expect, it } from "@effect/vitest"
import { clockAt } from "@mailroom/testing"
import { Effect, Random } from "effect"
import { NOON } from "../support/mailroom.js"
import { type Course, course } from "../support/race.js"
import { faultsLeft } from "./invariants.js"
import { makeScene } from "./scene.js"
import { type UseCase, useCases } from "./useCases.js"

/** How many pairs `npm test` runs, each at one statement. */
const SAMPLE = 80
const SEED = "races"
/** Where the first is held as long as it is not known how many statements it has. */
const STATEMENTS_AT_FIRST = 12

const pairs = useCases.flatMap((first) => useCases.map((second) => [first, second] as const))

/** One race on a scene of its own. */
const raceOf = ({ look, alone, race }: Course, first: UseCase, second: UseCase, at: number, name: string) =>
  Effect.gen(function* () {
    const scene = yield* alone(makeScene(name))
    for (const { prepare } of new Set([first, second]))
      if (prepare !== undefined) yield* alone(prepare(scene))
    const { stopped, failures, statements } = yield* race(
      first.run(scene, "one"),
      second.run(scene, "two"),
      at,
    )
    const faults = [...failures, ...(yield* alone(faultsLeft(look)))].map(
      (fault) => `"${first.name}" held at statement ${at} for "${second.name}": ${fault}`,
    )
    return { stopped, statements, faults }
  })

/** Holds the first at each of its statements in turn. */
const everyStop = (on: Course, first: UseCase, second: UseCase) =>
  Effect.gen(function* () {
    const faults: Array<string> = []
    for (let at = 0, more = true; more; at++) {
      const raced = yield* raceOf(on, first, second, at, `race-${useCases.indexOf(second)}-${at}`)
      faults.push(...raced.faults)
      more = raced.stopped
    }
    return faults
  })

/** The same pairs and statements in every run. */
const sample = (on: Course) =>
  Effect.gen(function* () {
    const random = Random.make(SEED)
    const faults: Array<string> = []
    const known = new Map<UseCase, number>()
    for (const [index, [first, second]] of [...(yield* random.shuffle(pairs))].slice(0, SAMPLE).entries()) {
      const at = yield* random.nextIntBetween(0, known.get(first) ?? STATEMENTS_AT_FIRST)
      const raced = yield* raceOf(on, first, second, at, `race-${index}`)
      known.set(first, raced.statements)
      faults.push(...raced.faults)
    }
    return faults
  })

describe("two use cases on one account, the first held at a statement, leave what is counted, told and named", () => {
  if (process.env["RACES"] === "all")
    for (const first of useCases)
      it.scoped(
        `${first.name}, with each other, at each statement`,
        () =>
          Effect.gen(function* () {
            const on = yield* course
            const faults = yield* Effect.forEach(useCases, (second) => everyStop(on, first, second))
            expect(faults.flat()).toEqual([])
          }).pipe(Effect.provide(clockAt(NOON))),
        30 * 60_000,
      )
  else
    it.scoped(
      `a sample of ${SAMPLE} of ${pairs.length} pairs`,
      () =>
        Effect.gen(function* () {
          expect(yield* sample(yield* course)).toEqual([])
        }).pipe(Effect.provide(clockAt(NOON))),
      120_000,
    )
})
