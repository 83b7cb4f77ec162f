/** Send quotas of one mailbox: the minute's velocity, the day, the month (docs/specification/limits.md, Sending). */
import { Either } from "effect"
import { plans, type Plan } from "../billing/plans.js"
import { DailySendLimitReached, MonthlySendLimitReached, SendVelocityExceeded } from "../errors.js"
import type { MailboxRecord } from "../mailboxes/Mailbox.js"
import {
  addTo,
  countIn,
  DAY,
  dayOf,
  type Instant,
  MINUTE,
  monthOf,
  nextMonth,
  timestamp,
  windowIn,
} from "../time.js"

export type SendQuotaError = SendVelocityExceeded | DailySendLimitReached | MonthlySendLimitReached
type SendCounters = Pick<MailboxRecord, "sentMinute" | "sentDay" | "sentMonth">

/** The UTC minute of an instant, `2026-03-01T09:30Z`. */
const minuteOf = (instant: Instant): string => `${timestamp(instant).slice(0, 16)}Z`

/** Start of a window. Windows are formatted so that they parse as UTC. */
const startOf = (counter: SendCounters["sentDay"], window: string): Instant =>
  Date.parse(windowIn(counter, window))

const secondsUntil = (end: Instant, now: Instant): number => Math.max(1, Math.ceil((end - now) / 1000))

/** Takes one send from the mailbox's quotas, or fails with the used-up quota and the seconds until it is free. */
export const takeSend = <M extends SendCounters>(
  mailbox: M,
  plan: Plan,
  perMinute: number,
  now: Instant,
): Either.Either<M, SendQuotaError> => {
  const { sendsPerDay, sendsPerMonth } = plans[plan]
  const [minute, day, month] = [minuteOf(now), dayOf(now), monthOf(now)]
  if (countIn(mailbox.sentMinute, minute) >= perMinute)
    return Either.left(
      new SendVelocityExceeded({
        limit: perMinute,
        retryAfter: secondsUntil(startOf(mailbox.sentMinute, minute) + MINUTE, now),
      }),
    )
  if (countIn(mailbox.sentDay, day) >= sendsPerDay)
    return Either.left(
      new DailySendLimitReached({
        limit: sendsPerDay,
        retryAfter: secondsUntil(startOf(mailbox.sentDay, day) + DAY, now),
      }),
    )
  if (sendsPerMonth !== null && countIn(mailbox.sentMonth, month) >= sendsPerMonth)
    return Either.left(
      new MonthlySendLimitReached({
        limit: sendsPerMonth,
        retryAfter: secondsUntil(nextMonth(startOf(mailbox.sentMonth, month)), now),
      }),
    )
  return Either.right({
    ...mailbox,
    sentMinute: addTo(mailbox.sentMinute, minute, 1),
    sentDay: addTo(mailbox.sentDay, day, 1),
    sentMonth: addTo(mailbox.sentMonth, month, 1),
  })
}

/**
 * Gives back the quota that a refused send took at `takenAt`, unless the window has ended since. A send counted in a later
 * window, because the clock had gone back, stays counted: it cannot be told apart from that window's own sends.
 */
export const returnSend = <M extends Pick<SendCounters, "sentDay" | "sentMonth">>(
  mailbox: M,
  takenAt: Instant,
): M => {
  const back = (counter: SendCounters["sentDay"], window: string) =>
    counter.window === window ? addTo(counter, window, -1) : counter
  return {
    ...mailbox,
    sentDay: back(mailbox.sentDay, dayOf(takenAt)),
    sentMonth: back(mailbox.sentMonth, monthOf(takenAt)),
  }
}
