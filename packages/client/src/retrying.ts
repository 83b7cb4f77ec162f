/** When a request is repeated, and how long the client waits before. */
import { ConnectionError, MailroomError, TimeoutError } from "./MailroomError.js"

/** Milliseconds before the first repetition; each further one waits twice as long. */
const FIRST_DELAY = 500
/** Milliseconds that a delay without `Retry-After` does not exceed. */
const LONGEST_DELAY = 8_000
/** Seconds: a call with a longer `Retry-After` fails at once, because its caller knows better what to do until then. */
const LONGEST_RETRY_AFTER = 60

/** Milliseconds of the longest timer, 25 days: `setTimeout` fires at once for more. */
export const LONGEST_TIMER = 2 ** 31 - 1

/** The response may change when the request is repeated. SEND_UNCERTAIN stays: the service does not send twice. */
const mayPass = (error: MailroomError): boolean => {
  const { status = 0, code } = error
  if (code === "IDEMPOTENCY_KEY_IN_USE") return true
  return status === 408 || status === 429 || (status >= 500 && code !== "SEND_UNCERTAIN")
}

/** Whether an error is one that time may heal. */
export const isPassing = (error: unknown): error is MailroomError =>
  error instanceof ConnectionError ||
  error instanceof TimeoutError ||
  (error instanceof MailroomError && mayPass(error))

/** Whether a call repeats its request after this error. */
export const isRepeated = (error: unknown): error is MailroomError =>
  isPassing(error) && (error.retryAfter ?? 0) <= LONGEST_RETRY_AFTER

/** Milliseconds that double with each attempt, from 0; between half of them and all, so that clients do not come back together. */
const doubledDelay = (attempt: number, longest: number): number =>
  Math.min(FIRST_DELAY * 2 ** attempt, longest) * (0.5 + Math.random() / 2)

/** Milliseconds of the `Retry-After` of an error, with up to a tenth more; undefined without one. */
const retryAfterDelay = (error: unknown): number | undefined => {
  const retryAfter = error instanceof MailroomError ? error.retryAfter : undefined
  return retryAfter === undefined ? undefined : retryAfter * 1000 * (1 + Math.random() / 10)
}

/** Milliseconds before the repetition `attempt` of a call, from 0: those of `Retry-After`, else doubled ones. */
export const delayBefore = (attempt: number, error: unknown): number =>
  retryAfterDelay(error) ?? doubledDelay(attempt, LONGEST_DELAY)

/**
 * As `delayBefore`, for repetitions without a limit: never shorter than the doubled delay, because `Retry-After` may be 0 or a date in the
 * past.
 */
export const unlimitedDelayBefore = (attempt: number, error: unknown, longest = LONGEST_DELAY): number =>
  Math.max(retryAfterDelay(error) ?? 0, doubledDelay(attempt, longest))

/** Waits. Fails with the reason of the signal when that is aborted. */
export const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const aborted = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", aborted)
        resolve()
      },
      Math.min(milliseconds, LONGEST_TIMER),
    )
    signal?.addEventListener("abort", aborted, { once: true })
  })
