/** Status codes of failures, as servers write them into their answers (RFC 3463, RFC 5321 §4.2). */

/** No part of a version, an IP address or a longer number. */
const code = "(?<![\\d.])([45]\\.\\d{1,3}\\.\\d{1,3})(?!\\d|\\.\\d)"

/** Where a code surely is one: behind a reply code, a `#` or an opening bracket. A `<user@host>` may stand between. */
const marked = new RegExp(`(?:\\b[45]\\d\\d[ -](?:<[^<>]{0,320}> ?)?|#|[([])(?:\\s?#)?${code}`)
const anywhere = new RegExp(`(?:^|[\\s:;"'])${code}`)

/** The enhanced status code in what a server said; null when there is none. */
export const enhancedStatus = (words: string): string | null =>
  marked.exec(words)?.[1] ?? anywhere.exec(words)?.[1] ?? null

const replies = [
  // the answer alone, or marked as one in a transcript
  /^"?([45]\d\d)(?=[ -]|$)/,
  /(?:<<<|<--|>>>)\s*([45]\d\d)(?=[ -]|$)/,
  // the answer behind the words of whoever heard it
  /\b(?:said|says|returned|response|responded|responded with|reason|error|code|was|status)\W{1,8}([45]\d\d)(?=[ -])/i,
  /: ([45]\d\d)(?=[ -])/,
]

/** The reply code of SMTP in what a server said; null when there is none. */
export const replyCode = (words: string): string | null => {
  for (const reply of replies) {
    const found = reply.exec(words)?.[1]
    if (found !== undefined) return found
  }
  return null
}

/** The more exact of the status a report gives and the one in a server's words: `5.0.0` only says that something failed. */
export const exactStatus = (given: string | null, said: string | null): string | null =>
  given === null || (/^\d\.0\.0$/.test(given) && said !== null) ? said : given
