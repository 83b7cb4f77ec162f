/** Claims in words: which worker has a message, and what taking it back does. */
import type { Actor } from "@mailroom/client"

/** The worker of a claim, in the middle of a sentence; `claimedBy` null: it is not known. */
export const workerText = (claimedBy: Actor | null): string => {
  switch (claimedBy?.kind) {
    case "key":
      return claimedBy.name === undefined ? "a key" : `“${claimedBy.name}”`
    case "session":
      return "you"
    case "embedded":
      return "a program on this server"
    default:
      return "a worker"
  }
}
