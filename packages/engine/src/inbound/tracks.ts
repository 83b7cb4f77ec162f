/** The tracks of the deliver stage: loops over the queue, each with its own bounds (docs/decisions/0046). */
import type { BatchLimits, Lane } from "@mailroom/domain"
import type { MailTopic } from "../ports/Signals.js"

export interface Track {
  readonly topic: MailTopic
  readonly lane: Lane
  /** `bytes` counts `workBytes`; a single mail is claimed whatever its size */
  readonly limits: BatchLimits
  /** batches that are read or written at a time */
  readonly inFlight: number
}

const MEGABYTE = 1024 * 1024

/** Mail of the fast lane whose turn has come. */
export const PROMPT: Track = {
  topic: "mail",
  lane: "fast",
  limits: { mails: 128, bytes: 4 * MEGABYTE },
  inFlight: 2,
}

/**
 * Any mail of the fast lane. One batch is written while three are read. Its bytes are twice those of `PROMPT`: three mails of 1 MB are
 * a small batch.
 */
export const BACKLOG: Track = {
  topic: "mail-backlog",
  lane: "fast",
  limits: { mails: 128, bytes: 8 * MEGABYTE },
  inFlight: 4,
}

/**
 * Limits of a backlog batch while other tenants have mail: their mail waits for one such batch at most. It takes more mails while
 * `PROMPT` takes more at a time, because many small batches cost more than one for all.
 */
export const BESIDE_OTHERS: BatchLimits = { mails: 16, bytes: 1 * MEGABYTE }

/** Mail of the slow lane. */
export const SLOW: Track = { topic: "mail-slow", lane: "slow", limits: { mails: 1, bytes: 0 }, inFlight: 2 }
