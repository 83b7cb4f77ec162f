/** When two machines answer each other (decisions §3, "loop cut"; docs/decisions/0032). */
import { Either } from "effect"
import { MailLoopCut } from "../errors.js"
import { LOOP_TURNS_MAX, LOOP_WINDOW, MACHINE_ANSWERS_WITHIN } from "../limits.js"
import type { Instant } from "../time.js"
import type { MessageContent } from "./Message.js"

/**
 * Whether a machine wrote a message that came in: it says so itself, or it answered one of ours faster than anybody
 * reads and writes.
 */
export const isMachineTurn = (
  answered: Pick<MessageContent, "automated"> & { readonly createdAt: Instant },
  ours: { readonly createdAt: Instant } | null,
): boolean =>
  answered.automated || (ours !== null && answered.createdAt - ours.createdAt <= MACHINE_ANSWERS_WITHIN)

/** From when on automatic turns of a thread count. */
export const loopWindow = (now: Instant): Instant => now - LOOP_WINDOW

/** One more automatic turn, after those of the last hour, the oldest of which was at `oldest`. */
export const admitTurn = (
  turns: { readonly count: number; readonly oldest: Instant },
  now: Instant,
): Either.Either<void, MailLoopCut> =>
  turns.count < LOOP_TURNS_MAX
    ? Either.void
    : Either.left(
        new MailLoopCut({
          limit: LOOP_TURNS_MAX,
          retryAfter: Math.max(1, Math.ceil((turns.oldest + LOOP_WINDOW - now) / 1000)),
        }),
      )
