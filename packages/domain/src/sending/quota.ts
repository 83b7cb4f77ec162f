/**
 * Send quotas of one mailbox (docs/specification/limits.md, Sending): sends a minute (the velocity, set by the operator), a day
 * and a month (set by the plan). The counters of the account have the same windows. They limit a day of mailboxes that are
 * deleted and made again.
 */
import { Either } from "effect"
import type { AccountRecord } from "../accounts/Account.js"
import { plans, type Plan } from "../billing/plans.js"
import { DailySendLimitReached, MonthlySendLimitReached, SendVelocityExceeded } from "../errors.js"
import type { MailboxRecord } from "../mailboxes/Mailbox.js"
import { DAY, MINUTE } from "../durations.js"
import { addTo, countIn, dayOf, type Instant, monthOf, nextMonth, timestamp, windowIn } from "../time.js"

export type SendQuotaError = SendVelocityExceeded | DailySendLimitReached | MonthlySendLimitReached
type SendCounters = Pick<MailboxRecord, "sentMinute" | "sentDay" | "sentMonth">

/** The UTC minute of an instant, `2026-03-01T09:30Z`. */
const minuteOf = (instant: Instant): string => `${timestamp(instant).slice(0, 16)}Z`

/** Start of a window. Windows are formatted so that they parse as UTC. */
const startOf = (counter: SendCounters["sentDay"], window: string): Instant =>
  Date.parse(windowIn(counter, window))

const secondsUntil = (end: Instant, now: Instant): number => Math.max(1, Math.ceil((end - now) / 1000))

/**
 * Counts one send in the mailbox's quotas. When quotas are used up, returns the error of the first of minute, day and month,
 * with the seconds until its window ends. `perMinute`: the velocity.
 */
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
        of: "mailbox",
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
 * Refuses a send of an account whose sends of the day are those of all the mailboxes of its plan: a mailbox that is deleted and
 * made again has new counters. An account that keeps its mailboxes and its plan never has so many.
 */
export const admitAccountSend = (
  { plan, sentDay }: Pick<AccountRecord, "plan" | "sentDay">,
  now: Instant,
): Either.Either<void, DailySendLimitReached> => {
  const { mailboxes, sendsPerDay } = plans[plan]
  const limit = mailboxes * sendsPerDay
  const day = dayOf(now)
  return countIn(sentDay, day) < limit
    ? Either.right(undefined)
    : Either.left(
        new DailySendLimitReached({
          of: "account",
          limit,
          retryAfter: secondsUntil(startOf(sentDay, day) + DAY, now),
        }),
      )
}

/**
 * Subtracts a send that was counted at `takenAt` and not sent from the day and the month, unless the window has ended since.
 * The minute keeps it: a send that the relay refused counts in the velocity. A send counted in a later window, because the
 * clock had gone back, stays counted: it cannot be told apart from that window's own sends.
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
