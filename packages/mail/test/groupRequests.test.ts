/** Groups of requests: one commit for many concurrent mails. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { groupRequests } from "../src/receiving/groupRequests.js"

type OnExit = (exit: Exit.Exit<ReadonlyArray<string>>) => void

/** Work that a test ends by hand. `next` waits for the next group, `turn` runs in every turn of gathering. */
const byHand = (turn: () => { readonly activity: number; readonly now: number }) => {
  const begun: Array<{ readonly group: ReadonlyArray<number>; readonly end: OnExit }> = []
  let wake = () => {}
  const ask = groupRequests<number, string>({
    max: 4,
    activity: () => turn().activity,
    now: () => turn().now,
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

/** No activity, and a clock that advances by 1 ms at each reading. */
const quiet = () => {
  let now = 0
  return () => ({ activity: 0, now: now++ })
}

const done: (group: ReadonlyArray<number>) => Exit.Exit<ReadonlyArray<string>> = (group) =>
  Exit.succeed(group.map(String))

describe("batches", () => {
  it.live("requests during a batch make the next one, up to its limits", () =>
    Effect.gen(function* () {
      const { ask, next } = byHand(quiet())
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

  /** The second batch after one of two requests. `turn` gets the number of its calls while gathering. */
  const secondGroup = (turn: (count: number, ask: (request: number) => void) => number) =>
    Effect.gen(function* () {
      let isGathering = false
      let activity = 0
      let now = 0
      const { ask, next } = byHand(() => {
        if (isGathering) activity = turn(now++, (request) => ask(request, () => {}))
        return { activity, now: now / 10 }
      })
      for (const request of [0, 1]) ask(request, () => {})
      const first = yield* next
      isGathering = true
      first.end(done(first.group))
      ask(2, () => {})
      return (yield* next).group
    })

  it.live("gather while there is activity, after a batch of several", () =>
    Effect.gen(function* () {
      const group = yield* secondGroup((count, ask) => {
        if (count === 6) ask(3)
        return Math.min(count, 7)
      })
      expect(group).toEqual([2, 3])
    }),
  )

  it.live("gather for 4 ms at most", () =>
    Effect.gen(function* () {
      expect(yield* secondGroup((count) => count)).toEqual([2])
    }),
  )

  it.live("a missing answer fails only its own request", () =>
    Effect.gen(function* () {
      const { ask, next } = byHand(quiet())
      const exits: Array<string> = []
      for (const request of [0, 1]) ask(request, (exit) => exits.push(exit._tag))
      const { end } = yield* next
      end(Exit.succeed(["0"]))
      expect(exits).toEqual(["Success", "Failure"])
    }),
  )
})
