import { describe, expect, it } from "vitest"
import {
  ACCEPTED_MAIL_CREDIT,
  errorDelay,
  guessDelay,
  guessesAt,
  HOST_GUESSES,
  isStressed,
  MINUTE,
  noGuesses,
  REPLY_DELAY_MAX,
  SECOND,
  sessionShare,
  withGuesses,
} from "@mailroom/domain"

describe("SMTP sessions under stress", () => {
  it("begins when three quarters of the sessions are open", () => {
    expect([0, 749, 750, 1000].map((open) => isStressed(open, 1000))).toEqual([false, false, true, true])
    expect(isStressed(0, 1)).toBe(false)
  })

  it("grants a network a fifth of its sessions, and one at least", () => {
    expect([50, 4, 1].map((granted) => sessionShare(granted, true))).toEqual([10, 1, 1])
    expect(sessionShare(50, false)).toBe(50)
  })
})

describe("errors of a session", () => {
  it("delay their replies from the eleventh on, one second more each, up to ten", () => {
    expect([1, 10, 11, 12, 20, 50].map(errorDelay)).toEqual([
      0,
      0,
      SECOND,
      2 * SECOND,
      10 * SECOND,
      REPLY_DELAY_MAX,
    ])
  })
})

describe("unknown recipients of a network", () => {
  const guessed = (times: number, now: number, before = noGuesses) =>
    Array.from({ length: times }).reduce(
      (score: typeof noGuesses) => withGuesses(score, 1, now, HOST_GUESSES),
      before,
    )

  it("add up, and are forgotten ten a minute", () => {
    const score = guessed(50, MINUTE)
    expect(guessesAt(score, MINUTE, HOST_GUESSES)).toBe(50)
    expect(guessesAt(score, 3 * MINUTE, HOST_GUESSES)).toBe(30)
    expect(guessesAt(score, 60 * MINUTE, HOST_GUESSES)).toBe(0)
    // A clock that was set back changes nothing.
    expect(guessesAt(score, 0, HOST_GUESSES)).toBe(50)
  })

  it("refuse the network at a hundred, until about a minute after the last", () => {
    const score = guessed(3000, MINUTE)
    expect(guessesAt(score, MINUTE, HOST_GUESSES)).toBeGreaterThanOrEqual(HOST_GUESSES.refused)
    expect(guessesAt(score, 2 * MINUTE + SECOND, HOST_GUESSES)).toBeLessThan(HOST_GUESSES.refused)
  })

  it("are made up for by ten accepted mails each", () => {
    const score = guessed(5, MINUTE)
    const after = Array.from({ length: 20 }).reduce(
      (before: typeof noGuesses) => withGuesses(before, -ACCEPTED_MAIL_CREDIT, MINUTE, HOST_GUESSES),
      score,
    )
    expect(guessesAt(after, MINUTE, HOST_GUESSES)).toBeCloseTo(3)
    expect(guessesAt(withGuesses(noGuesses, -1, MINUTE, HOST_GUESSES), MINUTE, HOST_GUESSES)).toBe(0)
  })

  it("delay the replies to more of them, up to ten seconds", () => {
    expect([0, 20, 60, 100, 500].map((score) => guessDelay(score, HOST_GUESSES))).toEqual([
      0,
      0,
      5 * SECOND,
      10 * SECOND,
      10 * SECOND,
    ])
  })
})
