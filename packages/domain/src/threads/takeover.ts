/** A person takes a thread over and answers it; then the agent's sends do not go into it (spec: threads.takeover.409). */
import { Either } from "effect"
import { ThreadTakenOver } from "../errors.js"
import type { Principal } from "../keys/Principal.js"
import type { Instant } from "../time.js"
import type { ThreadRecord } from "./Thread.js"

/** What a person had to do with a send. Persons use the owner's session; keys and embedding programs are agents. */
export interface SendAuthor {
  /** whether a person sends it, or has scheduled it */
  readonly byPerson: boolean
  /** when a person approved exactly this mail; null: nobody did */
  readonly approvedAt: Instant | null
}

export const isPerson = ({ credential }: Pick<Principal, "credential">): boolean =>
  credential.kind === "session"

/**
 * Whether a send may go into a thread. An approval from before the takeover does not count: the person who took the thread
 * over may answer otherwise. `thread` null: the send starts a thread.
 */
export const admitToThread = (
  thread: Pick<ThreadRecord, "id" | "takenOverAt"> | null,
  { byPerson, approvedAt }: SendAuthor,
): Either.Either<void, ThreadTakenOver> => {
  const takenOverAt = thread?.takenOverAt ?? null
  if (thread === null || takenOverAt === null || byPerson) return Either.void
  if (approvedAt !== null && approvedAt >= takenOverAt) return Either.void
  return Either.left(new ThreadTakenOver({ threadId: thread.id }))
}

/** When a merged thread was taken over: at the later time, if persons have taken over both. */
export const laterTakeover = (one: Instant | null, other: Instant | null): Instant | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)
