/** Answers in the form in which mailauth asks: that of node:dns. */
import type { RecordType } from "@mailroom/engine"
import type { Ask } from "./questions.js"

/** The failures that mailauth tells apart. */
class ResolveError extends Error {
  constructor(readonly code: "ENOTFOUND" | "ETIMEOUT") {
    super(code)
  }
}

const types: ReadonlySet<string> = new Set<RecordType>(["A", "AAAA", "MX", "TXT"])
const isType = (type: string): type is RecordType => types.has(type)

interface Exchange {
  readonly exchange: string
  readonly priority: number
}

const recordsOf = (type: string, found: ReadonlyArray<string>) => {
  if (type === "TXT") return found.map((text) => [text])
  return type === "MX" ? found.map((exchange, priority): Exchange => ({ exchange, priority })) : [...found]
}

/**
 * The option of mailauth's that says how it asks; its types know nothing of MX. Rejects as node:dns does. Types that
 * nobody should use any more, such as PTR, have no records (RFC 7208 §5.5).
 */
export const resolving = (ask: Ask): object => ({
  resolver: async (name: string, type: string) => {
    const found = isType(type) ? await ask(type, name) : []
    if (found === "unavailable") throw new ResolveError("ETIMEOUT")
    if (found.length === 0) throw new ResolveError("ENOTFOUND")
    return recordsOf(type, found)
  },
})
