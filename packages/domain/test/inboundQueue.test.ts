/** The rules of the inbound queue: turns among tenants, batches, retries (docs/decisions/0046). */
import { describe, expect, it } from "@effect/vitest"
import {
  attemptsMaxAfter,
  batchOf,
  isFull,
  deliveryRetryAt,
  laneOf,
  LARGE_MAIL_BYTES,
  mergeTenants,
  nextTurn,
  partsByTenant,
  recipientsAtOnce,
  tenantOf,
} from "@mailroom/domain"

const NOW = 1_772_357_400_000

/** The turns of so many mails of one tenant that arrive now, in milliseconds from now. */
const turnsOf = (count: number, workBytes: number): ReadonlyArray<number> => {
  let from = 0
  return Array.from({ length: count }, () => {
    const turn = nextTurn(from, NOW, workBytes)
    from = turn.nextFrom
    return turn.at - NOW
  })
}

describe("the turn of a mail", () => {
  it("is now for the first mail of a tenant, and after a pause", () => {
    expect(nextTurn(0, NOW, 1).at).toBe(NOW)
    expect(nextTurn(NOW - 1, NOW, 1).at).toBe(NOW)
  })

  it("moves ahead by 20 ms with every mail that arrives at once", () =>
    expect(turnsOf(4, 1_000)).toEqual([0, 20, 40, 60]))

  it("moves ahead by a second with every 10 MB", () =>
    expect(turnsOf(3, 10_240_000)).toEqual([0, 1_020, 2_040]))

  it("is never more than half a minute ahead", () => expect(turnsOf(3_000, 1_000).at(-1)).toBe(30_000))
})

describe("mail of several tenants whose turn has come", () => {
  const merged = (...entries: ReadonlyArray<readonly [name: string, workBytes: number]>) =>
    mergeTenants(entries.map(([name, workBytes]) => ({ name, tenant: name.slice(0, 1), workBytes }))).map(
      ({ name }) => name,
    )

  it("takes turns: the first mail of each tenant, then the second of each", () =>
    expect(merged(["b1", 9], ["b2", 9], ["b3", 9], ["a1", 9], ["a2", 9], ["c1", 9])).toEqual([
      "b1",
      "a1",
      "c1",
      "b2",
      "a2",
      "b3",
    ]))

  it("gives each tenant the same share of the work, 20 ms a mail and a second for 10 MB", () =>
    expect(merged(["a1", 409_600], ["a2", 1], ["b1", 1], ["b2", 1], ["b3", 1], ["b4", 1], ["b5", 1])).toEqual(
      ["a1", "b1", "b2", "b3", "a2", "b4", "b5"],
    ))
})

describe("the tenant of a mail", () => {
  it("is the domain of the first recipient", () => {
    expect(tenantOf(["Agent@ACME.mailroom.localhost", "b@other.example"])).toBe("acme.mailroom.localhost")
    expect(tenantOf(['"a@b"@acme.example'])).toBe("acme.example")
    expect(tenantOf([])).toBe("")
  })
})

describe("the lane of a mail", () => {
  it("is the slow one above a megabyte of work", () => {
    expect(laneOf(LARGE_MAIL_BYTES)).toBe("fast")
    expect(laneOf(LARGE_MAIL_BYTES + 1)).toBe("slow")
  })
})

describe("a batch", () => {
  const sizes = (...all: ReadonlyArray<number>) => all.map((workBytes) => ({ workBytes, attempts: 0 }))
  const taken = (entries: ReturnType<typeof sizes>, limits = { mails: 10, bytes: 100 }) =>
    batchOf(entries, limits).length

  it("has as many mails and bytes as its limits", () => {
    expect(taken(sizes(1, 1, 1), { mails: 2, bytes: 100 })).toBe(2)
    expect(taken(sizes(50, 50, 1))).toBe(2)
    expect(taken(sizes(50, 51, 1))).toBe(1)
  })

  it("has one mail whatever its size", () => expect(taken(sizes(1_000, 1))).toBe(1))

  it("is full when another mail of the fast lane might not fit", () => {
    const limits = { mails: 3, bytes: 2 * LARGE_MAIL_BYTES }
    expect(isFull(sizes(1, 1), limits)).toBe(false)
    expect(isFull(sizes(1, 1, 1), limits)).toBe(true)
    expect(isFull(sizes(LARGE_MAIL_BYTES), limits)).toBe(false)
    expect(isFull(sizes(LARGE_MAIL_BYTES, 1), limits)).toBe(true)
  })

  it("has the mail of tenants with few mails apart from that of the others", () => {
    const parts = (tenants: string) =>
      partsByTenant(Array.from(tenants, (tenant, id) => ({ tenant, id }))).map(
        ({ mails, isFlood }) =>
          `${isFlood ? "flood: " : ""}${mails.map(({ tenant, id }) => `${tenant}${id}`).join(" ")}`,
      )
    expect(parts("aabaaac")).toEqual(["b2 c6", "flood: a0 a1 a3 a4 a5"])
    expect(parts("aaaabbbb")).toEqual(["a0 a1 a2 a3 b4 b5 b6 b7"])
    expect(parts("aaaaabbbbb")).toEqual(["flood: a0 a1 a2 a3 a4 b5 b6 b7 b8 b9"])
    expect(parts("")).toEqual([])
  })

  it("shrinks with a mail that was claimed in vain, wherever that stands", () => {
    const withSuspect = (attempts: number) => [
      ...Array.from({ length: 3 }, () => ({ workBytes: 1, attempts: 0 })),
      { workBytes: 1, attempts },
      ...Array.from({ length: 60 }, () => ({ workBytes: 1, attempts: 0 })),
    ]
    const limits = { mails: 64, bytes: 1_000 }
    expect([0, 1, 2, 3, 4, 9].map((attempts) => batchOf(withSuspect(attempts), limits).length)).toEqual([
      64, 64, 16, 4, 3, 3,
    ])
  })
})

describe("a delivery that failed by itself", () => {
  it("is tried again after 10 s, doubling up to two minutes", () =>
    expect([1, 2, 3, 4, 5, 10].map((attempts) => deliveryRetryAt(attempts, NOW) - NOW)).toEqual([
      10_000, 20_000, 40_000, 80_000, 120_000, 120_000,
    ]))
})

describe("a mail for many recipients", () => {
  it("is written for as many at once as fit into 16 MB, and for one at least", () => {
    expect(recipientsAtOnce(1024)).toBe(16_384)
    expect(recipientsAtOnce(4 * 1024 * 1024)).toBe(4)
    expect(recipientsAtOnce(40 * 1024 * 1024)).toBe(1)
  })
})

describe("a mail whose claims failed five times and more", () => {
  it("waits until its process has delivered for 5 s, then twice as long with each claim, up to 2 min", () => {
    expect([0, 4_999, 5_000, 10_000, 20_000, 40_000, 80_000, 119_999].map(attemptsMaxAfter)).toEqual([
      4, 4, 5, 6, 7, 8, 9, 9,
    ])
  })

  it("is claimed by any process that has delivered for 2 min, however often its claims failed", () =>
    expect(attemptsMaxAfter(120_000)).toBeUndefined())
})
