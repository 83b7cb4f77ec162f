/**
 * Sending health: how many of a mailbox's last 1,000 sends bounced or were reported as spam, and whether the mailbox may
 * go on sending (docs/specification/reputation.md; docs/decisions/0068).
 */
import { Schema } from "effect"
import { described } from "../described.js"
import {
  COMPLAINTS_MAX_PER_MILLE,
  HARD_BOUNCES_MAX_PER_MILLE,
  SENDING_WINDOW,
  SENDING_WINDOW_MIN,
} from "../limits.js"
import { type Addressed, sentTo } from "../reports/effects.js"
import { type Instant, timestamp, Timestamp } from "../time.js"
import { isSimulated } from "../simulator/simulator.js"

export const SendingStopReason = Schema.Literal("BOUNCES", "COMPLAINTS").annotations({
  identifier: "SendingStopReason",
  description: "BOUNCES: too many hard bounces; COMPLAINTS: too many recipients reported the mail as spam",
})
export type SendingStopReason = typeof SendingStopReason.Type

/**
 * The last sends of a mailbox since its window began, at most `SENDING_WINDOW`. A send is one recipient of one message: a
 * message to three recipients is three sends.
 */
export interface SendingWindow {
  readonly sends: number
  /** sends whose address turned out to be permanently invalid */
  readonly hardBounces: number
  /** sends that their recipient reported as spam */
  readonly complaints: number
}

export type SendingHealth =
  | { readonly level: "healthy" }
  | { readonly level: "warning" | "stop"; readonly reason: SendingStopReason }

/** Whether `count` is more than this share of the sends. Compares integers, so that the limit itself is never exceeded. */
const isMoreThan = (count: number, sends: number, perMille: number): boolean =>
  count * 1000 > sends * perMille

const exceeded = (
  { sends, hardBounces, complaints }: SendingWindow,
  share: number,
): SendingStopReason | null => {
  if (isMoreThan(hardBounces, sends, HARD_BOUNCES_MAX_PER_MILLE * share)) return "BOUNCES"
  return isMoreThan(complaints, sends, COMPLAINTS_MAX_PER_MILLE * share) ? "COMPLAINTS" : null
}

/**
 * `stop` for more than 10 % hard bounces or more than 0.5 % complaints, `warning` for more than half of either. Always
 * healthy below 50 sends, because one bounce among a few sends says little.
 */
export const sendingHealth = (window: SendingWindow): SendingHealth => {
  if (window.sends < SENDING_WINDOW_MIN) return { level: "healthy" }
  const stop = exceeded(window, 1)
  if (stop !== null) return { level: "stop", reason: stop }
  const warning = exceeded(window, 0.5)
  return warning === null ? { level: "healthy" } : { level: "warning", reason: warning }
}

/**
 * Whether a send that makes a window of `sends` can be the one that its mailbox is judged by: the one that reaches the
 * minimum. Every other send only lowers the shares, so a window is judged by reports.
 */
export const reachesMinimum = (sends: number, added: number): boolean =>
  sends >= SENDING_WINDOW_MIN && sends - added < SENDING_WINDOW_MIN

/**
 * The recipients of a message that are sends, in the order in which they are numbered. Those of the simulator are not:
 * a test of bounces must not stop the mailbox that runs it.
 */
export const countedRecipients = (content: Addressed, platformDomain: string): ReadonlyArray<string> =>
  sentTo(content).filter((address) => !isSimulated(address, platformDomain))

/** How far before the last send of its message a recipient's send is: 0 for the last; null when it is not a send. */
export const distanceFromLast = (
  content: Addressed,
  recipient: string,
  platformDomain: string,
): number | null => {
  const counted = countedRecipients(content, platformDomain)
  const place = counted.indexOf(recipient)
  return place === -1 ? null : counted.length - 1 - place
}

/** What a mailbox shows while its sending is stopped. */
export const SendingStopped = Schema.Struct({
  at: described(Timestamp, "when it was stopped"),
  reason: described(SendingStopReason, "why it was stopped"),
}).annotations({ identifier: "SendingStopped", description: "Why a mailbox must not send" })
export type SendingStopped = typeof SendingStopped.Type

export interface SendingStop {
  readonly sendingStoppedAt: Instant | null
  readonly sendingStopReason: SendingStopReason | null
}

/** Null while the mailbox may send. */
export const sendingStopped = ({ sendingStoppedAt, sendingStopReason }: SendingStop): SendingStopped | null =>
  sendingStoppedAt === null || sendingStopReason === null
    ? null
    : { at: timestamp(sendingStoppedAt), reason: sendingStopReason }

/** The window of these sends, of which the last `SENDING_WINDOW` count. */
export const windowSize = (sends: number): number => Math.min(sends, SENDING_WINDOW)
