import { canonicalJson, DAY, IDEMPOTENCY_KEY, IDEMPOTENCY_TTL } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"

describe("decisions.idempotency.key: an idempotency key", () => {
  it.each(["a", "0190-abc.DEF_~", "k".repeat(256)])("may be %s", (key) => {
    expect(IDEMPOTENCY_KEY.test(key)).toBe(true)
  })

  it.each(["", "k".repeat(257), "a b", "a,b", "ä", "a\n", "a/b", "a:b"])("may not be %j", (key) => {
    expect(IDEMPOTENCY_KEY.test(key)).toBe(false)
  })

  it("is kept for 24 hours", () => {
    expect(IDEMPOTENCY_TTL).toBe(DAY)
  })
})

describe("canonical JSON", () => {
  const canonical = (value: unknown) => canonicalJson(value, (bytes) => `digest of ${bytes.join(" ")}`)

  it("has its fields in one order, at every depth", () => {
    expect(canonical({ b: [{ d: 1, c: null }], a: "x" })).toBe('{"a":"x","b":[{"c":null,"d":1}]}')
    expect(canonical({ a: "x", b: [{ c: null, d: 1 }] })).toBe('{"a":"x","b":[{"c":null,"d":1}]}')
  })

  it("keeps the order of lists", () => {
    expect(canonical([2, 1])).not.toBe(canonical([1, 2]))
  })

  it("does not tell a field that is undefined from one that is not there, but null from both", () => {
    expect(canonical({ a: undefined })).toBe("{}")
    expect(canonical({ a: null })).toBe('{"a":null}')
  })

  it("has null for a body that is not there", () => {
    expect([canonical(undefined), canonical(null)]).toEqual(["null", "null"])
  })

  it("tells values of different types apart", () => {
    const texts = [1, "1", true, "true", [1], { 0: 1 }, null, ""].map(canonical)
    expect(new Set(texts).size).toBe(texts.length)
  })

  it("has bytes by their digest", () => {
    expect(canonical({ content: new Uint8Array([1, 2]) })).toBe('{"content":{"bytes":"digest of 1 2"}}')
  })
})
