/** How a custom domain moves between its states (docs/decisions/0015). */
import {
  afterCheck,
  type Check,
  DAY,
  type DomainRecord,
  HOUR,
  MINUTE,
  type RecordStates,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { domain, signedUp } from "./support/records.js"

const right: RecordStates = {
  mxState: "VALID",
  spfState: "VALID",
  dkimState: "VALID",
  dmarcState: "MISSING",
}
const wrong: RecordStates = { ...right, mxState: "INVALID" }

const FAILS = signedUp + 72 * HOUR

const check = (of: DomainRecord, facts: Partial<Check> = {}) =>
  afterCheck(of, {
    now: signedUp + HOUR,
    found: right,
    nextKeyFound: false,
    taken: false,
    jitter: 0,
    ...facts,
  })

const pending = domain()
const verified = domain({ status: "VERIFIED", ...right, wrongSince: null })
const failed = domain({ status: "FAILED", ...wrong, wrongSince: signedUp })

describe("a check that finds MX, SPF and DKIM right", () => {
  for (const [status, before] of Object.entries({ pending, verified, failed }))
    it(`decisions/0015: makes a ${status} domain VERIFIED, without DMARC too`, () => {
      expect(check(before)).toMatchObject({ status: "VERIFIED", ...right, wrongSince: null })
    })

  for (const state of ["mxState", "spfState", "dkimState"] as const)
    for (const found of ["MISSING", "INVALID"] as const)
      it(`decisions/0015: needs all three: not with ${state} ${found}`, () => {
        expect(check(pending, { found: { ...right, [state]: found } })).toMatchObject({
          status: "PENDING_VERIFICATION",
          [state]: found,
        })
      })

  it("decisions/0015: verifies a domain whose 72 hours are over all the same", () => {
    expect(check(pending, { now: FAILS + DAY }).status).toBe("VERIFIED")
  })

  it("decisions/0015: does not verify a domain that another account has VERIFIED, but shows what it found", () => {
    expect(check(pending, { taken: true })).toMatchObject({ status: "PENDING_VERIFICATION", ...right })
    expect(check(failed, { taken: true })).toMatchObject({ status: "FAILED", ...right })
    expect(check(pending, { taken: true, now: FAILS }).status).toBe("FAILED")
  })
})

describe("a check that finds something wrong", () => {
  it("decisions/0015: fails a domain that was not verified within 72 hours of its creation, and no sooner", () => {
    expect(check(pending, { found: wrong, now: FAILS - 1 }).status).toBe("PENDING_VERIFICATION")
    expect(check(pending, { found: wrong, now: FAILS }).status).toBe("FAILED")
  })

  it("decisions/0015: leaves a VERIFIED domain so at first, and shows what is wrong", () => {
    const now = signedUp + 90 * DAY
    expect(check(verified, { found: wrong, now })).toMatchObject({
      status: "VERIFIED",
      mxState: "INVALID",
      wrongSince: now,
    })
  })

  it("decisions/0015: fails a VERIFIED domain after 72 hours without a right one in between", () => {
    const since = signedUp + 90 * DAY
    const broken = check(verified, { found: wrong, now: since })
    const still = check(broken, { found: wrong, now: since + 72 * HOUR - 1 })
    expect(still).toMatchObject({ status: "VERIFIED", wrongSince: since })
    expect(check(still, { found: wrong, now: since + 72 * HOUR }).status).toBe("FAILED")
  })

  it("decisions/0015: counts anew after a right one", () => {
    const since = signedUp + 90 * DAY
    const mended = check(check(verified, { found: wrong, now: since }), { now: since + 71 * HOUR })
    const again = check(mended, { found: wrong, now: since + 71 * HOUR + MINUTE })
    expect(check(again, { found: wrong, now: since + 72 * HOUR })).toMatchObject({ status: "VERIFIED" })
  })

  it("decisions/0015: leaves a FAILED domain FAILED, also when the clock went back", () => {
    expect(check(failed, { found: wrong, now: FAILS + DAY }).status).toBe("FAILED")
    expect(check(failed, { found: wrong, now: signedUp }).status).toBe("FAILED")
  })

  it("decisions/0015: DMARC alone changes no state", () => {
    const found = { ...right, dmarcState: "INVALID" } as const
    expect(check(verified, { found })).toMatchObject({ status: "VERIFIED", wrongSince: null, ...found })
  })
})

describe("a check that name servers do not answer", () => {
  for (const [status, before] of Object.entries({ pending, verified, failed }))
    it(`decisions/0015: changes nothing of a ${status} domain, however late, but when the next one is`, () => {
      const now = FAILS + 5 * DAY
      const { nextCheckAt, ...after } = check(before, { found: "unavailable", now })
      expect({ ...after, nextCheckAt: before.nextCheckAt }).toEqual(before)
      expect(nextCheckAt).toBeGreaterThan(now)
    })
})

describe("the time of the last change", () => {
  it("is that of the check that changed what is shown", () => {
    const now = signedUp + HOUR
    expect(check(pending).updatedAt).toBe(now)
    expect(check(verified, { found: wrong }).updatedAt).toBe(now)
    expect(check(verified, { found: { ...right, dmarcState: "VALID" } }).updatedAt).toBe(now)
    expect(check(verified).updatedAt).toBe(signedUp)
  })
})

describe("the next background check", () => {
  for (const [what, before, found] of [
    ["pending", pending, wrong],
    ["verified", verified, right],
    ["broken", verified, wrong],
  ] as const)
    it(`decisions/0015: of a ${what} domain is in 5 minutes, or up to a tenth sooner`, () => {
      const now = signedUp + HOUR
      expect(check(before, { found, now }).nextCheckAt).toBe(now + 5 * MINUTE)
      expect(check(before, { found, now, jitter: 0.5 }).nextCheckAt).toBe(now + 4.75 * MINUTE)
    })

  it("decisions/0015: of a FAILED domain is a day later, for 30 days, then there is none", () => {
    const next = (now: number) => check(failed, { found: wrong, now }).nextCheckAt
    expect(next(FAILS)).toBe(FAILS + DAY)
    expect(next(FAILS + 29 * DAY)).toBe(FAILS + 30 * DAY)
    expect(next(FAILS + 29 * DAY + 1)).toBeNull()
  })

  it("decisions/0015: comes back with the domain that its owner had verified", () => {
    const now = FAILS + 90 * DAY
    expect(check(failed, { now })).toMatchObject({ status: "VERIFIED", nextCheckAt: now + 5 * MINUTE })
  })
})
