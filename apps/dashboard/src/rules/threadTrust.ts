/** How far a conversation can be believed: as far as its least trusted received mail. */
import type { TrustLevel } from "@mailroom/client"
import { trustWords, type TrustWords } from "./trust.js"

/** The least trusted first. */
const levels: ReadonlyArray<TrustLevel> = ["suspicious", "unverified", "verified", "known", "owner"]

/** The words for the least trusted of the received mails, with what was noticed in any like it; null when none has a level. */
export const threadTrust = (messages: ReadonlyArray<Parameters<typeof trustWords>[0]>): TrustWords | null => {
  const level = levels.find((one) =>
    messages.some(({ direction, trust }) => direction === "INBOUND" && trust?.level === one),
  )
  const words = messages
    .filter(({ trust }) => trust?.level === level)
    .flatMap((message) => trustWords(message) ?? [])
  const [first] = words
  if (level === undefined || first === undefined) return null
  return { ...first, reasons: [...new Set(words.flatMap(({ reasons }) => reasons))] }
}
