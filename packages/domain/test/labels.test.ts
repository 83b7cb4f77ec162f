/** Labels and read marks (spec: lists.labels.add). */
import { type Flags, type FlagsPatch, LABELS_MAX, patchFlags } from "@mailroom/domain"
import { Either } from "effect"
import { describe, expect, it } from "vitest"

const before: Flags = { labels: ["a", "b"], readAt: null }
const patched = (patch: FlagsPatch, of: Flags = before) => Either.getOrThrow(patchFlags(of, patch, 5))

describe("a patch of labels", () => {
  it("replaces them, each once", () => {
    expect(patched({ labels: ["c", "c", "a"] }).labels).toEqual(["c", "a"])
    expect(patched({ labels: [] }).labels).toEqual([])
  })

  it("adds and removes some, and keeps the others and their order", () => {
    expect(patched({ addLabels: ["c", "a"] }).labels).toEqual(["a", "b", "c"])
    expect(patched({ removeLabels: ["a", "x"] }).labels).toEqual(["b"])
    expect(patched({ addLabels: ["c"], removeLabels: ["a"] }).labels).toEqual(["b", "c"])
  })

  it("adds a label that it also removes", () => {
    expect(patched({ addLabels: ["a"], removeLabels: ["a"] }).labels).toEqual(["b", "a"])
  })

  it("refuses more than 20, unless there were as many before", () => {
    const many = Array.from({ length: LABELS_MAX }, (_, index) => `l${index}`)
    expect(Either.isLeft(patchFlags({ labels: many, readAt: null }, { addLabels: ["x"] }, 5))).toBe(true)
    expect(
      patched({ addLabels: ["x"], removeLabels: ["l0"] }, { labels: many, readAt: null }).labels,
    ).toHaveLength(LABELS_MAX)
  })
})

describe("a patch of the read mark", () => {
  it("sets the time of the first reading, and clears it", () => {
    expect(patched({ read: true }).readAt).toBe(5)
    expect(patched({ read: true }, { ...before, readAt: 3 }).readAt).toBe(3)
    expect(patched({ read: false }, { ...before, readAt: 3 }).readAt).toBeNull()
    expect(patched({ addLabels: ["c"] }, { ...before, readAt: 3 }).readAt).toBe(3)
  })
})
