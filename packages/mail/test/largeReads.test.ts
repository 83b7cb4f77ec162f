/** In which order sessions read their large messages. */
import { describe, expect, it } from "@effect/vitest"
import { makeLargeReads } from "../src/receiving/largeReads.js"

const CHUNK = 64 * 1024

/** Sessions with chunks to read, and the turns of an event loop. A session without a turn reads nothing. */
const start = (sessions: number) => {
  const turns: Array<() => void> = []
  const reads = makeLargeReads((begin) => turns.push(begin))
  const read: Array<number> = []
  const counts = Array.from({ length: sessions }, (_, session) =>
    reads.reader({
      rest: () => {},
      wake: () => {
        read.push(session)
        counts[session]?.(CHUNK)
      },
    }),
  )
  /** Returns which sessions read a chunk in the next turn. */
  const nextTurn = () => {
    turns.shift()?.()
    return read.splice(0)
  }
  return { counts, nextTurn, scheduledTurns: () => turns.length }
}

describe("large messages", () => {
  it("are read three sessions a turn, one after another", () => {
    const { counts, nextTurn } = start(5)
    for (const count of counts) count(CHUNK)
    expect(nextTurn()).toStrictEqual([0, 1, 2])
    expect(nextTurn()).toStrictEqual([3, 4, 0])
    expect(nextTurn()).toStrictEqual([1, 2, 3])
  })

  it("of one session go on in every turn", () => {
    const { counts, nextTurn } = start(1)
    counts[0]?.(CHUNK)
    expect([nextTurn(), nextTurn()]).toStrictEqual([[0], [0]])
  })

  it("end the turn of a session after 64 kB, in however many pieces they come", () => {
    const { counts, scheduledTurns } = start(1)
    for (let piece = 0; piece < 3; piece++) counts[0]?.(CHUNK / 4)
    expect(scheduledTurns()).toBe(0)
    counts[0]?.(CHUNK / 4)
    expect(scheduledTurns()).toBe(1)
  })

  it("schedule one turn at a time", () => {
    const { counts, nextTurn, scheduledTurns } = start(20)
    for (const count of counts) count(CHUNK)
    expect(scheduledTurns()).toBe(1)
    nextTurn()
    expect(scheduledTurns()).toBe(1)
  })
})
