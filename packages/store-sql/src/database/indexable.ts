/** Texts of others that an index holds: a Message-ID may have kilobytes, and an entry of a Postgres index may not. */
import { createHash } from "node:crypto"

/** Characters; three bytes each at most, so far below the 2,704 bytes of an entry. */
const MAX_LENGTH = 400

/** What stands in the index for a text: itself, or its beginning and its hash. A NUL is what Postgres would make of it. */
export const indexable = (text: string): string => {
  const clean = text.replaceAll("\0", "\u{fffd}")
  return clean.length <= MAX_LENGTH
    ? clean
    : `${clean.slice(0, MAX_LENGTH).toWellFormed()}#${createHash("sha256").update(text).digest("hex")}`
}
