/** What is told of a body from its bytes, before anything parses it (docs/decisions/0036). */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { formScan, jsonScan } from "../src/bodies/jsonScan.js"

const encoder = new TextEncoder()

/** What the scan says of a text that comes in chunks of so many bytes. */
const scanned = (text: string, maxValues: number, chunkBytes = 7): string | null => {
  const scan = jsonScan(maxValues)
  const bytes = encoder.encode(text)
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const problem = scan(bytes.subarray(at, at + chunkBytes))
    if (problem !== null) return problem
  }
  return null
}

/** Values as the scan counts them: each list, record and element, one more for the text. */
const valuesOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((sum, inner) => sum + valuesOf(inner), 1) +
      Math.max(0, Object.keys(value).length - 1)
    : 0

describe("the scan of a JSON body", () => {
  it("counts the values of any JSON text, however it is cut into chunks", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.jsonValue({ maxDepth: 8 }),
        FastCheck.integer({ min: 1, max: 20 }),
        (value, size) => {
          const text = JSON.stringify(value)
          const values = 1 + valuesOf(value)
          expect(scanned(text, Math.max(values, 4), size)).toBeNull()
          if (values > 4) expect(scanned(text, values - 1, size)).toContain(`${values - 1}`)
        },
      ),
    )
  })

  it("sees no structure in strings, whatever is escaped in them", () => {
    for (const inside of ['\\"', "\\\\", '\\\\\\"', "[[[{{{,,,", '\\\\\\\\\\"[,'])
      for (const size of [1, 2, 3, 100])
        expect([inside, size, scanned(`["${inside}${",".repeat(50)}"]`, 3, size)]).toEqual([
          inside,
          size,
          null,
        ])
    for (const size of [1, 2, 3, 100]) expect(scanned(`["\\\\",1,2,3,4]`, 3, size)).not.toBeNull()
  })

  it("stops at 33 levels", () => {
    expect(scanned("[".repeat(32), 100)).toBeNull()
    expect(scanned("[".repeat(33), 100)).toContain("32 levels")
    expect(scanned("[]".repeat(90), 100)).toBeNull()
  })

  it("stops at blanks and digits without end", () => {
    expect(scanned(`[${" ".repeat(600)}]`, 10)).toBeNull()
    expect(scanned(`[${" ".repeat(700)}]`, 10)).toContain("640 bytes")
    expect(scanned(`[${"9".repeat(700)}]`, 10)).toContain("640 bytes")
    expect(scanned(`["${"9".repeat(7000)}"]`, 10)).toBeNull()
  })
})

describe("the scan of a form", () => {
  it("counts its fields", () => {
    expect(formScan(3)(encoder.encode("a=1&b=2&c=3"))).toBeNull()
    expect(formScan(2)(encoder.encode("a=1&b=2&c=3"))).toContain("2 fields")
  })
})
