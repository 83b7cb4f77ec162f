/** What a message keeps of a large header (docs/specification/resources.md). */
import { describe, expect, it } from "@effect/vitest"
import {
  HEADER_ADDRESSES_MAX,
  HEADER_ADDRESSES_MAX_LENGTH,
  HEADER_TEXT_MAX_LENGTH,
  THREADING_MAX_IDS,
  threadingIds,
} from "@mailroom/domain"
import { keptAddresses, keptReferences, keptText } from "@mailroom/domain/messages/headerBounds"

const ids = (count: number) => Array.from({ length: count }, (_, n) => `<${n}@a.example>`)
const addresses = (count: number, length = 20) =>
  Array.from({ length: count }, (_, n) => ({ address: `${n}@`.padEnd(length, "a"), name: null }))

describe("what a message keeps of a large header", () => {
  it("References: the first and the newest, as many as take part in threading", () => {
    const all = ids(50_000)
    const kept = keptReferences(all)
    expect(kept).toEqual([all[0], ...all.slice(-(THREADING_MAX_IDS - 1))])
    const linked = { messageId: "<m@a.example>", inReplyTo: ["<i@a.example>"] }
    expect(threadingIds({ ...linked, references: kept })).toEqual(
      threadingIds({ ...linked, references: all }),
    )
    expect(keptReferences(ids(THREADING_MAX_IDS))).toEqual(ids(THREADING_MAX_IDS))
  })

  it("addresses: the first thousand, of 64 kB together", () => {
    const all = addresses(39_318)
    expect(keptAddresses(all)).toEqual(all.slice(0, HEADER_ADDRESSES_MAX))
    const long = addresses(200, 900)
    expect(keptAddresses(long)).toEqual(long.slice(0, Math.floor(HEADER_ADDRESSES_MAX_LENGTH / 900)))
    expect(keptAddresses(addresses(HEADER_ADDRESSES_MAX))).toHaveLength(HEADER_ADDRESSES_MAX)
  })

  it("texts: their beginning, of whole characters", () => {
    expect(keptText("😀".repeat(HEADER_TEXT_MAX_LENGTH))).toBe("😀".repeat(HEADER_TEXT_MAX_LENGTH / 2))
    expect(keptText("short")).toBe("short")
  })
})
