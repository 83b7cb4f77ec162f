/**
 * Races of two use cases on one account, on two engines over one Postgres. The first is held before one of its statements
 * while the second runs until it ends or waits for a lock of the first. `npm test` runs a sample, and `npm run test:samples` a
 * larger one; `npm run races` runs all pairs, and holds the first at each of its statements in turn.
 */
import { describe, expect, it } from "@effect/vitest"
import { clockAt } from "@mailroom/testing"
import { Effect, Random } from "effect"
import { NOON } from "../support/mailroom.js"
import { type Course, course } from "../support/race.js"
import { faultsLeft } from "./invariants.js"
import { makeScene } from "./scene.js"
import { type UseCase, useCases } from "./useCases.js"

/** Pairs of a sample, each at one statement. */
const SAMPLE = Number(process.env["RACE_PAIRS"] ?? 6)
const SEED = "races"
/** Where the first is held while the number of its statements is unknown. */
const STATEMENTS_AT_FIRST = 12

const pairs = useCases.flatMap((first) => useCases.map((second) => ({ first, second })))
type Pair = (typeof pairs)[number]

/** Runs one race on a scene of its own. */
const raceAt = ({ alone, race }: Course, { first, second }: Pair, at: number, name: string) =>
  Effect.gen(function* () {
    const scene = yield* alone(makeScene(name))
    for (const { prepare } of new Set([first, second]))
      if (prepare !== undefined) yield* alone(prepare(scene))
    const raced = yield* race(first.run(scene, "one"), second.run(scene, "two"), at)
    const faults = raced.failures.map((failure) => `${name}, held at statement ${at}: ${failure}`)
    return { ...raced, faults }
  })

/** Holds the first at each of its statements in turn. The name of each scene has the number of the statement. */
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

/** Runs one race and checks the invariants after it. */
const checked = (on: Course, pair: Pair, at: number, name: string) =>
  Effect.gen(function* () {
    const raced = yield* raceAt(on, pair, at, name)
    const faults = [...raced.faults, ...(yield* on.alone(faultsLeft(on.look)))]
    const names = `${pair.first.name}, with ${pair.second.name}`
    return { statements: raced.statements, faults: faults.map((fault) => `${names}: ${fault}`) }
  })

/** The same pairs and statements in every run. */
const sample = (on: Course) =>
  Effect.gen(function* () {
    const random = Random.make(SEED)
    const faults: Array<string> = []
    const known = new Map<UseCase, number>()
    const chosen = [...(yield* random.shuffle(pairs))].slice(0, SAMPLE)
    for (const [index, pair] of chosen.entries()) {
      const at = yield* random.nextIntBetween(0, known.get(pair.first) ?? STATEMENTS_AT_FIRST)
      const raced = yield* checked(on, pair, at, `race-${index}`)
      known.set(pair.first, raced.statements)
      faults.push(...raced.faults)
    }
    return faults
  })

/** Races that once failed, each with the statement at which it did. */
const lostOnce = [
  // A deadlock: one locked the account before the webhook, the other the webhook before the account.
  { first: "deliver a mail that comes twice", second: "post to a webhook", at: 18 },
  // The end of the lease missed the new delivery, and the new delivery did not make the webhook due.
  { first: "post to a webhook", second: "deliver an answer", at: 28 },
  // A row for a deleted account: the foreign key refused it, and the caller got a defect.
  { first: "begin a checkout", second: "delete an account", at: 2 },
  { first: "ask for a new password", second: "delete an account", at: 18 },
]

const again = (on: Course) =>
  Effect.gen(function* () {
    const faults: Array<string> = []
    for (const [index, { first, second, at }] of lostOnce.entries()) {
      const pair = pairs.find((one) => one.first.name === first && one.second.name === second)
      if (pair === undefined) return yield* Effect.dieMessage(`no pair ${first}, with ${second}`)
      faults.push(...(yield* checked(on, pair, at, `lost-${index}`)).faults)
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
  else {
    races(`a sample of ${SAMPLE} of ${pairs.length} pairs`, sample)
    races("races that were lost once", again)
  }
})
