/** Batches of the inbound queue: how many mails are claimed, written and retried together. */
import { MINUTE, SECOND } from "../durations.js"
import type { Instant } from "../time.js"
import { LARGE_MAIL_BYTES } from "./turns.js"

/** What is known of a queue entry before it is claimed. */
export interface Claimable {
  /** earlier claims that ended without a result, because the mail failed or the process was killed */
  readonly attempts: number
  readonly workBytes: number
}

/** Limits of one claim. A single entry is claimed whatever its size. */
export interface BatchLimits {
  readonly mails: number
  readonly bytes: number
}

/**
 * Batch size for an entry with this many failed claims. A mail that kills the process fails the whole batch, so batches
 * shrink with every failure: the mail at fault ends up alone, and the other mails are delivered in the meantime.
 */
const batchSizeFor = (attempts: number): number => {
  if (attempts < 2) return Infinity
  return attempts === 2 ? 16 : attempts === 3 ? 4 : 1
}

/**
 * Milliseconds that a worker must have run before it claims a mail with five failed claims, with six, and so on. A mail with
 * that many may be what kills the process. It may also be innocent: a process that is killed shortly after each start fails
 * whatever it claims first. The wait keeps such a process from using up the attempts of that mail.
 */
const UP_FOR: ReadonlyArray<number> = [5, 10, 20, 40, 80, 120].map((seconds) => seconds * SECOND)
/** How many failed claims a mail may have for a worker that has just started. */
const ATTEMPTS_AT_START = 4

/** How many failed claims a mail may have for a worker that has run for `upFor` milliseconds; `undefined`: any number. */
export const attemptsMaxAfter = (upFor: number): number | undefined => {
  const reached = UP_FOR.filter((pause) => pause <= upFor).length
  return reached === UP_FOR.length ? undefined : ATTEMPTS_AT_START + reached
}

/** The leading entries that form one batch, in their order. */
export const batchOf = <E extends Claimable>(
  entries: ReadonlyArray<E>,
  limits: BatchLimits,
): ReadonlyArray<E> => {
  let bytes = 0
  let maxMails = limits.mails
  let count = 0
  for (const { attempts, workBytes } of entries) {
    bytes += workBytes
    maxMails = Math.min(maxMails, batchSizeFor(attempts))
    if (count > 0 && (count >= maxMails || bytes > limits.bytes)) break
    count += 1
  }
  return entries.slice(0, count)
}

/** Whether a batch has no room for the largest mail of the fast lane, so that a claim may have left mail in the queue. */
export const isFull = (batch: ReadonlyArray<Claimable>, limits: BatchLimits): boolean =>
  batch.length >= limits.mails ||
  batch.reduce((sum, { workBytes }) => sum + workBytes, LARGE_MAIL_BYTES) > limits.bytes

/** More mails of one tenant in a batch are a flood to the other tenants in it. */
const FEW_MAILS = 4

/**
 * The parts of a batch that are delivered side by side: the mail of tenants with few mails in it, and then the rest, which is a
 * flood to them. So nobody's mail waits until a flood in the same batch is read and written.
 */
export const partsByTenant = <E extends { readonly tenant: string }>(
  batch: ReadonlyArray<E>,
): ReadonlyArray<{ readonly mails: ReadonlyArray<E>; readonly isFlood: boolean }> => {
  const mailsOf = new Map<string, number>()
  for (const { tenant } of batch) mailsOf.set(tenant, (mailsOf.get(tenant) ?? 0) + 1)
  const hasFew = ({ tenant }: E): boolean => (mailsOf.get(tenant) ?? 0) <= FEW_MAILS
  return [
    { mails: batch.filter(hasFew), isFlood: false },
    { mails: batch.filter((mail) => !hasFew(mail)), isFlood: true },
  ].filter(({ mails }) => mails.length > 0)
}

const RETRY_FIRST = 10 * SECOND
const RETRY_LAST = 2 * MINUTE

/** When a mail is tried again whose own delivery failed: after 10 s, doubled with each attempt, to 2 min. `attempts` includes the failed one. */
export const deliveryRetryAt = (attempts: number, now: Instant): Instant =>
  now + Math.min(RETRY_LAST, RETRY_FIRST * 2 ** (attempts - 1))

/** Maximal bytes of content in one transaction. A mail for a single mailbox is written whatever its size. */
export const TRANSACTION_MAX_BYTES = 16 * 1024 * 1024

/** Recipients of a mail that one transaction serves within that limit. */
export const recipientsAtOnce = (sizeBytes: number): number =>
  Math.max(1, Math.floor(TRANSACTION_MAX_BYTES / Math.max(1, sizeBytes)))
