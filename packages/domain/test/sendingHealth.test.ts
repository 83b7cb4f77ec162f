import {
  countedRecipients,
  distanceFromLast,
  reachesMinimum,
  type SendingHealth,
  sendingHealth,
  type SendingWindow,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { drawn } from "./support/records.js"

const window = (sends: number, hardBounces: number, complaints = 0): SendingWindow => ({
  sends,
  hardBounces,
  complaints,
})

const shown = (health: SendingHealth): string =>
  health.level === "healthy" ? "healthy" : `${health.level} ${health.reason}`

describe("sendingHealth (spec: reputation.health.*)", () => {
  for (const [facts, expected] of [
    [window(0, 0), "healthy"],
    [window(49, 49, 49), "healthy"],
    [window(50, 2), "healthy"],
    [window(50, 3), "warning BOUNCES"],
    [window(50, 5), "warning BOUNCES"],
    [window(50, 6), "stop BOUNCES"],
    [window(50, 0, 1), "stop COMPLAINTS"],
    [window(199, 0, 1), "stop COMPLAINTS"],
    [window(200, 0, 1), "warning COMPLAINTS"],
    [window(399, 0, 1), "warning COMPLAINTS"],
    [window(400, 0, 1), "healthy"],
    [window(1000, 50), "healthy"],
    [window(1000, 51), "warning BOUNCES"],
    [window(1000, 100), "warning BOUNCES"],
    [window(1000, 101), "stop BOUNCES"],
    [window(1000, 0, 2), "healthy"],
    [window(1000, 0, 3), "warning COMPLAINTS"],
    [window(1000, 0, 5), "warning COMPLAINTS"],
    [window(1000, 0, 6), "stop COMPLAINTS"],
    [window(1000, 51, 6), "stop COMPLAINTS"],
    [window(1000, 101, 6), "stop BOUNCES"],
  ] as const)
    it(`${facts.sends} sends, ${facts.hardBounces} hard bounces, ${facts.complaints} complaints: ${expected}`, () =>
      expect(shown(sendingHealth(facts))).toBe(expected))

  it("one more good send never makes a judged mailbox worse, unless it reaches the minimum", () => {
    const rank = { healthy: 0, warning: 1, stop: 2 }
    FastCheck.assert(
      FastCheck.property(
        FastCheck.integer({ min: 1, max: 1100 }),
        FastCheck.nat(120),
        FastCheck.nat(7),
        (sends, hardBounces, complaints) => {
          const before = sendingHealth(window(sends, hardBounces, complaints))
          const after = sendingHealth(window(sends + 1, hardBounces, complaints))
          expect(reachesMinimum(sends + 1, 1) || rank[after.level] <= rank[before.level]).toBe(true)
        },
      ),
      drawn.fastCheck,
    )
  })

  it("the send that reaches 50 is judged, whatever number of recipients it has", () => {
    expect([reachesMinimum(49, 1), reachesMinimum(50, 1), reachesMinimum(51, 1)]).toEqual([
      false,
      true,
      false,
    ])
    expect([reachesMinimum(50, 50), reachesMinimum(98, 49), reachesMinimum(99, 49)]).toEqual([
      true,
      true,
      false,
    ])
  })
})

describe("the sends of a message", () => {
  const content = {
    toAddresses: ["Ada@example.org", "bounced@simulator.mailroom.localhost"],
    ccAddresses: ["bob@example.org", "ada@example.org"],
    bccAddresses: ["complained+1@simulator.mailroom.localhost", "carol@example.org"],
  }

  it("are its recipients, each once, without those of the simulator", () =>
    expect(countedRecipients(content, "mailroom.localhost")).toEqual([
      "ada@example.org",
      "bob@example.org",
      "carol@example.org",
    ]))

  it("are numbered backwards from the last one", () => {
    const distance = (recipient: string) => distanceFromLast(content, recipient, "mailroom.localhost")
    expect(["ada@example.org", "bob@example.org", "carol@example.org"].map(distance)).toEqual([2, 1, 0])
    expect(distance("bounced@simulator.mailroom.localhost")).toBeNull()
    expect(distance("dora@example.org")).toBeNull()
  })
})
