/** How many mails of the delivery queue are claimed, written and retried together. */
import { type Instant, MINUTE, SECOND } from "../time.js"
import { LARGE_MAIL_BYTES } from "./turns.js"

/** What a claim knows of an entry before it takes it. */
export interface Claimable {
  /** claims so far that came to nothing */
  readonly attempts: number
  readonly workBytes: number
}

/** What one claim takes at most; a single entry is taken whatever its size. */
export interface BatchLimits {
  readonly mails: number
  readonly bytes: number
}

/**
 * Entries that may share a batch with one that was claimed in vain so often. A process that is killed takes innocent
 * mail with it, so the groups shrink step by step: the culprit ends alone, and the innocent are not kept waiting.
 */
const companyOf = (attempts: number): number => {
  if (attempts < 2) return Infinity
  return attempts === 2 ? 16 : attempts === 3 ? 4 : 1
}

/** The first entries, in their order, that make one batch. */
export const batchOf = <E extends Claimable>(
  entries: ReadonlyArray<E>,
  limits: BatchLimits,
): ReadonlyArray<E> => {
  let bytes = 0
  let company = limits.mails
  let count = 0
  for (const { attempts, workBytes } of entries) {
    bytes += workBytes
    company = Math.min(company, companyOf(attempts))
    if (count > 0 && (count >= company || bytes > limits.bytes)) break
    count += 1
  }
  return entries.slice(0, count)
}

/** Whether a batch of the fast lane left mail behind that was free, as far as its size can tell. */
export const isFull = (batch: ReadonlyArray<Claimable>, limits: BatchLimits): boolean =>
  batch.length >= limits.mails ||
  batch.reduce((sum, { workBytes }) => sum + workBytes, LARGE_MAIL_BYTES) > limits.bytes

const RETRY_FIRST = 10 * SECOND
const RETRY_LAST = 2 * MINUTE

/** When a mail whose delivery failed by itself is tried again; `attempts` counts the one that failed. */
export const deliveryRetryAt = (attempts: number, now: Instant): Instant =>
  now + Math.min(RETRY_LAST, RETRY_FIRST * 2 ** (attempts - 1))

/** Bytes of content that one transaction writes at most; a mail for one mailbox is written whatever its size. */
export const TRANSACTION_MAX_BYTES = 16 * 1024 * 1024

/** How many recipients of a mail one transaction serves, so that it writes no more than its bound. */
export const recipientsAtOnce = (sizeBytes: number): number =>
  Math.max(1, Math.floor(TRANSACTION_MAX_BYTES / Math.max(1, sizeBytes)))
