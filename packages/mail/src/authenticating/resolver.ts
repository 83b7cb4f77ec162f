/** `Lookup` in the form in which mailauth asks: that of node:dns. */
import type { RecordType } from "./lookup.js"

/** The failures that mailauth tells apart. */
class ResolveError extends Error {
  constructor(readonly code: "ENOTFOUND" | "ETIMEOUT") {
    super(code)
  }
}

export type Ask = (type: RecordType, name: string) => Promise<ReadonlyArray<string> | "unavailable">

const types: ReadonlySet<string> = new Set<RecordType>(["A", "AAAA", "MX", "TXT"])
const isType = (type: string): type is RecordType => types.has(type)

/** Rejects as node:dns does. Types that nobody should use any more, such as PTR, have no records (RFC 7208 §5.5). */
export const resolverFor =
  (ask: Ask) =>
  async (name: string, type: string): Promise<Array<string> | Array<Array<string>>> => {
    const found = isType(type) ? await ask(type, name) : []
    if (found === "unavailable") throw new ResolveError("ETIMEOUT")
    if (found.length === 0) throw new ResolveError("ENOTFOUND")
    return type === "TXT" ? found.map((text) => [text]) : [...found]
  }
