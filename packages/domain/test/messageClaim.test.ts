/** Claims of messages (spec: sharing.claim). */
import { describe, expect, it } from "@effect/vitest"
import {
  type Actor,
  admitClaim,
  type ClaimRecord,
  endClaim,
  meetsClaimCondition,
  newClaim,
  renewClaim,
  SECOND,
  takeBackClaim,
  timestamp,
  viewClaim,
} from "@mailroom/domain"
import { Either } from "effect"

const NOW = 1_772_357_400_000
const claimedBy: Actor = { kind: "key", id: "0196", name: "Worker 1" }
const claim = newClaim("hash", 60, claimedBy, NOW)
const END = NOW + 60 * SECOND

const holding = (held: ClaimRecord | null) => ({ claim: held, isToken: true })
const released: ClaimRecord = { ...claim, state: "RELEASED" }
const completed: ClaimRecord = { ...claim, state: "COMPLETED" }

describe("the claim of a message", () => {
  it("shows as CLAIMED until the lease ends, and then as free", () => {
    expect(viewClaim(null, NOW)).toBeNull()
    expect(viewClaim(claim, END - 1)).toEqual({ state: "CLAIMED", expiresAt: timestamp(END), claimedBy })
    expect(viewClaim(claim, END)).toBeNull()
    expect(viewClaim(released, NOW)).toBeNull()
    expect(viewClaim(completed, END)).toEqual({ state: "COMPLETED", expiresAt: null, claimedBy })
  })

  it("is refused while another holds it, with the seconds until the lease ends", () => {
    expect(Either.isRight(admitClaim(null, NOW))).toBe(true)
    expect(Either.flip(admitClaim(claim, NOW + 1))).toMatchObject({ right: { retryAfter: 60 } })
    expect(Either.flip(admitClaim(claim, END - 1))).toMatchObject({ right: { retryAfter: 1 } })
    expect(Either.isRight(admitClaim(claim, END))).toBe(true)
    expect(Either.isRight(admitClaim(released, NOW))).toBe(true)
  })

  it("is refused for ever once the work is done", () => {
    const refused = Either.flip(admitClaim(completed, END + 1))
    expect(Either.getOrThrow(refused).retryAfter).toBeUndefined()
  })

  it("is renewed from now, for its own length or for another", () => {
    expect(renewClaim(holding(claim), null, END - 1)).toEqual(
      Either.right({ ...claim, expiresAt: END - 1 + 60 * SECOND }),
    )
    expect(renewClaim(holding(claim), 5, NOW)).toEqual(
      Either.right({ ...claim, leaseSeconds: 5, expiresAt: NOW + 5 * SECOND }),
    )
  })

  it("ends once: a repeated end with its token changes nothing", () => {
    expect(endClaim(holding(claim), "COMPLETED", NOW)).toEqual(Either.right(completed))
    expect(endClaim(holding(completed), "COMPLETED", END + 1)).toEqual(Either.right(completed))
    expect(endClaim(holding(claim), "RELEASED", NOW)).toEqual(Either.right(released))
    expect(endClaim(holding(released), "RELEASED", END + 1)).toEqual(Either.right(released))
  })

  it("is lost without its token, after its lease, and after another end", () => {
    const lost = [
      renewClaim({ claim, isToken: false }, null, NOW),
      endClaim({ claim, isToken: false }, "COMPLETED", NOW),
      endClaim({ claim: completed, isToken: false }, "COMPLETED", NOW),
      renewClaim(holding(null), null, NOW),
      endClaim(holding(null), "RELEASED", NOW),
      renewClaim(holding(claim), null, END),
      endClaim(holding(claim), "COMPLETED", END),
      endClaim(holding(claim), "RELEASED", END),
      renewClaim(holding(completed), null, NOW),
      renewClaim(holding(released), null, NOW),
      endClaim(holding(completed), "RELEASED", NOW),
      endClaim(holding(released), "COMPLETED", NOW),
    ]
    for (const one of lost) expect(Either.flip(one)).toMatchObject({ right: { _tag: "ClaimLost" } })
  })

  it("is taken back from whoever holds it, and then its token has lost it", () => {
    const taken = takeBackClaim(claim, NOW)
    expect(taken).toEqual(Either.right(released))
    expect(renewClaim(holding(released), null, NOW)).toMatchObject({ left: { _tag: "ClaimLost" } })
    expect(endClaim(holding(released), "COMPLETED", NOW)).toMatchObject({ left: { _tag: "ClaimLost" } })
  })

  it("is not taken back from a message that is free, or whose work is done", () => {
    for (const free of [takeBackClaim(null, NOW), takeBackClaim(released, NOW), takeBackClaim(claim, END)])
      expect(free).toEqual(Either.right(null))
    expect(takeBackClaim(completed, NOW)).toMatchObject({ left: { _tag: "MessageClaimed" } })
  })

  it("is a condition of lists, in which only received messages are free", () => {
    const held = viewClaim(claim, NOW)
    const done = viewClaim(completed, NOW)
    const met = (condition: "free" | "claimed" | "completed") =>
      [null, held, done].map((one) => meetsClaimCondition(condition, true, one))
    expect(met("free")).toEqual([true, false, false])
    expect(met("claimed")).toEqual([false, true, false])
    expect(met("completed")).toEqual([false, false, true])
    expect(meetsClaimCondition("free", false, null)).toBe(false)
  })
})
