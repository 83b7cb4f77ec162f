/** Lines of a report: which recipients they name, and which of them announce a failure. */
import type { Outcome } from "@mailroom/domain"
import { addressIn } from "./addresses.js"
import { announcements, contact, recipientLines } from "./phrases.js"

export const LINE_MAX_LENGTH = 1000

export const announcementIn = (line: string) =>
  announcements.find(({ words }) => words.some((pattern) => pattern.test(line)))

/** A line and the next, which may be the rest of its sentence; null at the end of a paragraph. */
export const withNext = (lines: ReadonlyArray<string>, at: number): string | null => {
  const [line = "", next = ""] = [lines[at]?.trim(), lines[at + 1]?.trim()]
  return line === "" || next === "" ? null : `${line} ${next}`.slice(0, LINE_MAX_LENGTH)
}

/** The announcement in a line, or in the sentence that begins in it and ends in the next. */
export const announcementAt = (lines: ReadonlyArray<string>, at: number) => {
  const here = announcementIn(lines[at] ?? "")
  if (here !== undefined) return here
  const both = withNext(lines, at)
  return both === null || announcementIn(lines[at + 1] ?? "") !== undefined ? undefined : announcementIn(both)
}

export interface Named {
  readonly addresses: ReadonlyArray<string>
  readonly reason: string
  readonly alone: boolean
  readonly outcome: Outcome | null
}

export const namedBy = (line: string, shapes = recipientLines): Named | null => {
  if (!line.includes("@")) return null
  for (const { alone, outcome, line: shape } of shapes) {
    const groups = shape.exec(line)?.groups
    const address = addressIn(groups?.["address"] ?? "")
    if (groups === undefined || address === null) continue
    const origin = addressIn(groups["origin"] ?? "")
    const addresses = origin === null ? [address] : [origin, address]
    return { addresses, reason: groups["reason"] ?? "", alone, outcome: outcome ?? null }
  }
  return null
}

const sentences = recipientLines.filter(({ alone }) => alone)

/** Whom a line names, or a sentence that begins in it and ends in the next. */
export const namedAt = (
  lines: ReadonlyArray<string>,
  at: number,
): (Named & { readonly last: number }) | null => {
  const line = lines[at] ?? ""
  const here = namedBy(line)
  if (here !== null) return { ...here, last: at }
  const next = lines[at + 1] ?? ""
  const both = line.includes("@") === next.includes("@") ? null : withNext(lines, at)
  const named = both === null || namedBy(next, sentences) !== null ? null : namedBy(both, sentences)
  return named === null ? null : { ...named, last: at + 1 }
}

/** An address to turn to: the line, or what stands above it, says so. */
export const isContact = (lines: ReadonlyArray<string>, at: number): boolean => {
  const [before = ""] = (lines[at] ?? "").split("@", 1)
  const above = lines.slice(Math.max(0, at - 2), at).findLast((line) => line.trim() !== "") ?? ""
  return contact.test(before) || (/[:,]$/.test(above) && contact.test(above))
}

/** Exim's alias: the address it was before is the one that was written to. */
export const originIn = (line: string): string | null =>
  addressIn(/^\s*\((?:ultimately )?generated from ([^\s()]{1,320})\)/i.exec(line)?.[1] ?? "")
