/** What the other side said, as one line of limited length. */
import { wellFormed } from "../parsing/charsets.js"

const DIAGNOSTIC_MAX_LENGTH = 500

/** null when nothing was said. */
export const oneLineOf = (words: string): string | null => {
  const line = words
    .slice(0, 4 * DIAGNOSTIC_MAX_LENGTH)
    .replace(/[\s\0-\u001f\u007f\u0085\u2028\u2029]+/g, " ")
    .trim()
  return line === "" ? null : wellFormed(line.slice(0, DIAGNOSTIC_MAX_LENGTH)).trim()
}
