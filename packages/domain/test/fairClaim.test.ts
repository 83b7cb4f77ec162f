import { AccountId, fairClaim } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"

const account = (n: number): AccountId =>
  AccountId.make(`00000000-0000-7000-8000-${String(n).padStart(12, "0")}`)

const PLACES = 256

/** Claims one piece of work at a time until nothing changes: every account has work without end, and none is ever done. */
const flooded = (accounts: number): Map<AccountId, number> => {
  const inFlight = new Map<AccountId, number>()
  const holds = (id: AccountId) => inFlight.get(id) ?? 0
  const all = Array.from({ length: accounts }, (_, n) => account(n))
  for (;;) {
    const { limit, except } = fairClaim(inFlight, PLACES)
    const [next] = all.filter((id) => !except.includes(id)).sort((a, b) => holds(a) - holds(b))
    if (limit === 0 || next === undefined) return inFlight
    inFlight.set(next, holds(next) + 1)
  }
}

const taken = (inFlight: ReadonlyMap<AccountId, number>): number =>
  [...inFlight.values()].reduce((sum, count) => sum + count, 0)

describe("places that accounts share", () => {
  it("go to an account that is alone, up to half of them", () => {
    expect([...flooded(1).values()]).toEqual([PLACES / 2])
  })

  it("are shared evenly by accounts that flood", () => {
    for (const accounts of [2, 3, 10]) {
      const counts = [...flooded(accounts).values()]
      expect(counts).toHaveLength(accounts)
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
    }
  })

  it("stay free for an account that had no work, however many flood", () => {
    for (const accounts of [1, 2, 3, 10, 100]) {
      const inFlight = flooded(accounts)
      expect(taken(inFlight)).toBeLessThan(PLACES)
      const { limit, except } = fairClaim(inFlight, PLACES)
      expect(limit).toBeGreaterThan(0)
      expect(except).not.toContain(account(accounts))
    }
  })

  it("are claimed half of the free ones at a time", () => {
    expect(fairClaim(new Map(), PLACES)).toEqual({ limit: 128, except: [] })
    const oneAccount = new Map([[account(0), 200]])
    expect(fairClaim(oneAccount, PLACES)).toEqual({ limit: 28, except: [account(0)] })
  })

  it("are not claimed when none is free", () => {
    expect(fairClaim(new Map([[account(0), PLACES]]), PLACES)).toEqual({ limit: 0, except: [account(0)] })
  })
})
