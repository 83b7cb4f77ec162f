/** Texts that prove something, compared so that the time it takes tells nothing of them. */
import { createHash, timingSafeEqual } from "node:crypto"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Whether a text is the expected one: as slow for a wrong one, whatever is wrong with it. */
export const isSameText = (given: string, expected: string): boolean =>
  timingSafeEqual(digest(given), digest(expected))
