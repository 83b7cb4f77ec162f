/** Reads the development outbox, which keeps mail instead of sending it. */

interface OutboxMail {
  readonly text?: unknown
}

const mailsOf = (answer: unknown): ReadonlyArray<OutboxMail> =>
  typeof answer === "object" && answer !== null && "messages" in answer && Array.isArray(answer.messages)
    ? answer.messages
    : []

/**
 * The link of the newest verification mail as a path of this origin, because BASE_URL may name the service otherwise; null when
 * there is none.
 */
export const verificationLink = (answer: unknown, origin: string): string | null => {
  for (const { text } of mailsOf(answer)) {
    const found = typeof text === "string" ? /https?:\/\/\S+\/v1\/auth\/verify-email\?\S+/.exec(text) : null
    if (found !== null) {
      const { pathname, search } = new URL(found[0], origin)
      return `${pathname}${search}`
    }
  }
  return null
}
