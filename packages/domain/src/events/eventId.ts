/** The id of an event, `{timestamp_ms}-{counter}-{random_4hex}` (spec: events.stream.rule-4), and the start of a replay. */
import { Option } from "effect"
import { REPLAY_MAX_EVENTS, REPLAY_TTL } from "../limits.js"
import type { Instant } from "../time.js"

export const eventId = (at: Instant, seq: number, random: number): string =>
  `${at}-${seq}-${(random & 0xffff).toString(16).padStart(4, "0")}`

/** The account's counter in an id; none for text that is not an id. */
export const seqOf = (id: string): Option.Option<number> => {
  const match = /^\d{1,16}-(\d{1,15})-[0-9a-f]{4}$/.exec(id)
  return match?.[1] === undefined ? Option.none() : Option.some(Number(match[1]))
}

/** The oldest instant and the number of events that a reconnect can still replay (spec: events.stream.rule-5-buffer). */
export const replayWindow = (now: Instant): { readonly since: Instant; readonly max: number } => ({
  since: now - REPLAY_TTL,
  max: REPLAY_MAX_EVENTS,
})
