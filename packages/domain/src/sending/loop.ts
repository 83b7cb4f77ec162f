/** Detects two machines that answer each other (spec: decisions.send.loop; docs/decisions/0032). */
import { Either } from "effect"
import { MailLoopCut } from "../errors.js"
import { CORRESPONDENT_TURNS_MAX, LOOP_TURNS_MAX, LOOP_WINDOW, MACHINE_ANSWERS_WITHIN } from "../limits.js"
import { mailboxAddress } from "../mailboxes/address.js"
import type { Instant } from "../time.js"
import type { MessageContent } from "../messages/Message.js"

/**
 * Whether a machine wrote an inbound message: the message says so, or it arrived within `MACHINE_ANSWERS_WITHIN` after
 * `ours`, faster than a person writes. `ours` is the message that it answers or, when it names none of ours, our last reply
 * to its sender.
 */
export const isMachineTurn = (
  answered: Pick<MessageContent, "automated"> & { readonly createdAt: Instant },
  ours: Instant | null,
): boolean => answered.automated || (ours !== null && answered.createdAt - ours <= MACHINE_ANSWERS_WITHIN)

/** The correspondent of a reply: an address with another tag is the same correspondent. */
export const correspondentOf = ({ fromAddress }: Pick<MessageContent, "fromAddress">): string =>
  mailboxAddress(fromAddress)

/** The start of the window in which automatic turns count. */
export const loopWindow = (now: Instant): Instant => now - LOOP_WINDOW

/** How many automatic turns an hour a thread may have, and how many a mailbox and one correspondent, over all threads. */
export const loopLimits = { thread: LOOP_TURNS_MAX, correspondent: CORRESPONDENT_TURNS_MAX } as const

/**
 * Whether one more automatic turn is within the limit. `turns`: the times of the automatic turns of the last hour, oldest
 * first. `MailLoopCut` has the seconds until the oldest of them is an hour old.
 */
export const admitTurn = (
  turns: ReadonlyArray<Instant>,
  within: MailLoopCut["within"],
  now: Instant,
): Either.Either<void, MailLoopCut> => {
  const limit = loopLimits[within]
  const [oldest = now] = turns
  return turns.length < limit
    ? Either.void
    : Either.left(
        new MailLoopCut({
          within,
          limit,
          retryAfter: Math.max(1, Math.ceil((oldest + LOOP_WINDOW - now) / 1000)),
        }),
      )
}
