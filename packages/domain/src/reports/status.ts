/** Status codes in the replies of mail servers (RFC 3463, RFC 5321 §4.2). */

/** Excludes parts of a version, an IP address or a longer number. */
const code = "(?<![\\d.])([45]\\.\\d{1,3}\\.\\d{1,3})(?!\\d|\\.\\d)"

/** The places where digits are surely a status code: after a reply code, a `#` or an opening bracket. A `<user@host>` may stand between. */
const marked = new RegExp(`(?:\\b[45]\\d\\d[ -](?:<[^<>]{0,320}> ?)?|#|[([])(?:\\s?#)?${code}`)
const anywhere = new RegExp(`(?:^|[\\s:;"'])${code}`)

/** The enhanced status code in a server's reply; null without one. */
export const enhancedStatus = (words: string): string | null =>
  marked.exec(words)?.[1] ?? anywhere.exec(words)?.[1] ?? null

const replies = [
  // the reply alone, or marked as a reply in a transcript
  /^"?([45]\d\d)(?=[ -]|$)/,
  /(?:<<<|<--|>>>)\s*([45]\d\d)(?=[ -]|$)/,
  // the reply after words of the reporting server
  /\b(?:said|says|returned|response|responded|responded with|reason|error|code|was|status)\W{1,8}([45]\d\d)(?=[ -])/i,
  /: ([45]\d\d)(?=[ -])/,
]

/** The SMTP reply code in a server's reply; null without one. */
export const replyCode = (words: string): string | null => {
  for (const reply of replies) {
    const found = reply.exec(words)?.[1]
    if (found !== undefined) return found
  }
  return null
}

/** The more precise of the report's status and the one in the server's reply: `5.0.0` only means that something failed. */
export const exactStatus = (reported: string | null, inReply: string | null): string | null =>
  reported === null || (/^\d\.0\.0$/.test(reported) && inReply !== null) ? inReply : reported
