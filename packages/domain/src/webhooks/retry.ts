/** What follows from the result of a delivery attempt: delivered, another attempt, or failed (docs/specification/events.md, Retries). */
import { DAY } from "../durations.js"
import type { Instant } from "../time.js"
import { WEBHOOK_MAX_FAILED_DELIVERIES, WEBHOOK_RETRY_DELAYS, WEBHOOK_RETRY_JITTER } from "../limits.js"

/** What the receiver did with the request of an attempt. */
export type AttemptResult =
  | {
      readonly kind: "answered"
      readonly status: number
      /** seconds, from the Retry-After header */
      readonly retryAfter: number | null
    }
  /** no HTTP response: refused, timed out, or a forbidden address */
  | { readonly kind: "unreachable"; readonly reason: string }

/** What becomes of the delivery. */
export type AfterAttempt =
  | { readonly kind: "delivered" }
  | { readonly kind: "retry"; readonly at: Instant }
  /** all attempts are used */
  | { readonly kind: "failed" }
  /** the receiver answered 410: the webhook fails */
  | { readonly kind: "gone" }

/** Decides after attempt number `attempts` (1 is the first). `jitter` is uniform in [0, 1). */
export const afterAttempt = (
  result: AttemptResult,
  attempts: number,
  jitter: number,
  now: Instant,
): AfterAttempt => {
  if (result.kind === "answered") {
    if (result.status >= 200 && result.status < 300) return { kind: "delivered" }
    if (result.status === 410) return { kind: "gone" }
  }
  const delay = WEBHOOK_RETRY_DELAYS[attempts - 1]
  if (delay === undefined) return { kind: "failed" }
  const jittered = Math.round(delay * (1 + WEBHOOK_RETRY_JITTER * (2 * jitter - 1)))
  // A receiver may ask for more time, at most a day.
  const requested = result.kind === "answered" ? Math.min((result.retryAfter ?? 0) * 1000, DAY) : 0
  return { kind: "retry", at: now + Math.max(jittered, requested) }
}

/** Whether the webhook becomes FAILED after `failedInARow` deliveries that used all attempts. */
export const givesUp = (failedInARow: number): boolean => failedInARow >= WEBHOOK_MAX_FAILED_DELIVERIES

/** `Sun, 01 Mar 2026 09:30:00 GMT` (RFC 9110 §5.6.7). */
const fixedDate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Seconds of a `Retry-After` header, given as a number or a date; null for other text. */
export const parseRetryAfter = (value: string | null, now: Instant): number | null => {
  if (value === null) return null
  const text = value.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const date = fixedDate.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000))
}
