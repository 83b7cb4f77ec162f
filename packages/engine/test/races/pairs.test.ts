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
const SAMPLE = 35
const SEED = "races"
/** Where the first is held as long as it is not known how many statements it has. */
const STATEMENTS_AT_FIRST = 12

const pairs = useCases.flatMap((first) => useCases.map((second) => ({ first, second })))
type Pair = (typeof pairs)[number]

/** One race, on a scene of its own. */
const raceAt = ({ alone, race }: Course, { first, second }: Pair, at: number, name: string) =>
  Effect.gen(function* () {
    const scene = yield* alone(makeScene(name))
    for (const { prepare } of new Set([first, second]))
      if (prepare !== undefined) yield* alone(prepare(scene))
    const raced = yield* race(first.run(scene, "one"), second.run(scene, "two"), at)
    const faults = raced.failures.map((failure) => `${name}, held at statement ${at}: ${failure}`)
    return { ...raced, faults }
  })

/** Holds the first at each of its statements in turn; scenes are called after that statement. */
const everyStop = (on: Course, pair: Pair) =>
  Effect.gen(function* () {
    const faults: Array<string> = []
    for (let at = 0, more = true; more; at++) {
      const raced = yield* raceAt(on, pair, at, `race-${at}`)
      faults.push(...raced.faults)
      more = raced.stopped
    }
    return [...faults, ...(yield* on.alone(faultsLeft(on.look)))]
  })

/** The same pairs and statements in every run. */
const sample = (on: Course) =>
  Effect.gen(function* () {
    const random = Random.make(SEED)
    const faults: Array<string> = []
    const known = new Map<UseCase, number>()
    const chosen = [...(yield* random.shuffle(pairs))].slice(0, SAMPLE)
    for (const [index, pair] of chosen.entries()) {
      const { first, second } = pair
      const at = yield* random.nextIntBetween(0, known.get(first) ?? STATEMENTS_AT_FIRST)
      const raced = yield* raceAt(on, pair, at, `race-${index}`)
      known.set(first, raced.statements)
      const left = yield* on.alone(faultsLeft(on.look))
      faults.push(...[...raced.faults, ...left].map((fault) => `${first.name}, with ${second.name}: ${fault}`))
    }
    return faults
  })

describe("two use cases on one account, the first held at a statement", () => {
  const races = (name: string, faults: (on: Course) => ReturnType<typeof everyStop>) =>
    it.scoped(
      name,
      () =>
        Effect.gen(function* () {
          expect(yield* faults(yield* course)).toEqual([])
        }).pipe(Effect.provide(clockAt(NOON))),
      300_000,
    )

  if (process.env["RACES"] === "all")
    for (const pair of pairs)
      races(`${pair.first.name}, with ${pair.second.name}`, (on) => everyStop(on, pair))
  else races(`a sample of ${SAMPLE} of ${pairs.length} pairs`, sample)
})
