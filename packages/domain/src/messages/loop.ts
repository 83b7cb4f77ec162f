/** When two machines answer each other (decisions §3, "loop cut"; docs/decisions/0032). */
import { Either } from "effect"
import { MailLoopCut } from "../errors.js"
import { LOOP_WINDOW, MACHINE_ANSWERS_WITHIN } from "../limits.js"
import { normalizeAddress, withoutTag } from "../mailboxes/address.js"
import type { Instant } from "../time.js"
import type { MessageContent } from "./Message.js"

/**
 * Whether a machine wrote a message that came in: it says so itself, or it came within `MACHINE_ANSWERS_WITHIN` after
 * `ours`, faster than anybody reads and writes. `ours` is what it answers; or, when it names nothing of ours, our last
 * answer to its sender.
 */
export const isMachineTurn = (
  answered: Pick<MessageContent, "automated"> & { readonly createdAt: Instant },
  ours: Instant | null,
): boolean => answered.automated || (ours !== null && answered.createdAt - ours <= MACHINE_ANSWERS_WITHIN)

/** Whom an answer goes on talking with: a tag in the address does not make another correspondent. */
export const correspondentOf = ({ fromAddress }: Pick<MessageContent, "fromAddress">): string =>
  withoutTag(normalizeAddress(fromAddress))

/** The instant from which on automatic turns count. */
export const loopWindow = (now: Instant): Instant => now - LOOP_WINDOW

/** One more automatic turn, after `turns` within the last hour, oldest first, of which there may be fewer than `limit`. */
export const admitTurn = (
  turns: ReadonlyArray<Instant>,
  limit: number,
  now: Instant,
): Either.Either<void, MailLoopCut> => {
  const [oldest = now] = turns
  return turns.length < limit
    ? Either.void
    : Either.left(
        new MailLoopCut({
          limit,
          retryAfter: Math.max(1, Math.ceil((oldest + LOOP_WINDOW - now) / 1000)),
        }),
      )
}
