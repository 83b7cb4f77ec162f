/** The diagnostic text of a report (RFC 3464 §2.3.6). */

const DIAGNOSTIC_MAX_LENGTH = 500

/** The text on one line of limited length; null when it is empty. */
export const diagnosticOf = (words: string): string | null => {
  const line = words
    .slice(0, 4 * DIAGNOSTIC_MAX_LENGTH)
    .replace(/[\s\0-\u001f\u007f\u0085\u2028\u2029]+/g, " ")
    .trim()
  return line === "" ? null : line.slice(0, DIAGNOSTIC_MAX_LENGTH).toWellFormed().trim()
}
