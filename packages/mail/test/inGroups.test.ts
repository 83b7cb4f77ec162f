/** What is asked for at the same time is done together: one commit for many mails (decisions §6). */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { inGroups } from "../src/receiving/inGroups.js"

type OnExit = (exit: Exit.Exit<ReadonlyArray<string>>) => void

/** Work that a test ends by hand; `next` waits for the next group. */
const byHand = (patient: boolean) => {
  const begun: Array<{ readonly group: ReadonlyArray<number>; readonly end: OnExit }> = []
  let wake = () => {}
  const ask = inGroups<number, string>({
    max: 4,
    patient,
    work: (group, end) => {
      begun.push({ group, end })
      wake()
    },
  })
  const next = Effect.async<(typeof begun)[number]>((resume) => {
    const take = () => {
      const first = begun.shift()
      if (first !== undefined) resume(Effect.succeed(first))
    }
    wake = take
    take()
  })
  return { ask, next }
}

const done: (group: ReadonlyArray<number>) => Exit.Exit<ReadonlyArray<string>> = (group) =>
  Exit.succeed(group.map(String))

describe("groups", () => {
  for (const patient of [false, true])
    it.live(`${patient ? "with" : "without"} patience: what waits meanwhile is the next group`, () =>
      Effect.gen(function* () {
        const { ask, next } = byHand(patient)
        const answers: Array<readonly [number, string]> = []
        const asking = (request: number) =>
          ask(request, (exit) => answers.push([request, Exit.getOrElse(exit, () => "failed")]))
        asking(0)
        const alone = yield* next
        for (const request of [1, 2, 3, 4, 5, 6]) asking(request)
        expect(alone.group).toEqual([0])
        alone.end(done(alone.group))
        const full = yield* next
        expect(full.group).toEqual([1, 2, 3, 4])
        full.end(Exit.die(new Error("boom")))
        const rest = yield* next
        expect(rest.group).toEqual([5, 6])
        rest.end(done(rest.group))
        expect(answers).toEqual([
          [0, "0"],
          ...[1, 2, 3, 4].map((request) => [request, "failed"]),
          [5, "5"],
          [6, "6"],
        ])
      }),
    )

  it.live("an answer that is missing fails its request alone", () =>
    Effect.gen(function* () {
      const { ask, next } = byHand(false)
      const exits: Array<string> = []
      for (const request of [0, 1]) ask(request, (exit) => exits.push(exit._tag))
      const { end } = yield* next
      end(Exit.succeed(["0"]))
      expect(exits).toEqual(["Success", "Failure"])
    }),
  )
})
