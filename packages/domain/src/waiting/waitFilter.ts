/** What a wait or a claim can be narrowed to, beside the filter of a list (docs/specification/sharing.md). */
import {
  anyMessage,
  type FilteredMessage,
  matchesFilter,
  type MessageFilter,
} from "../messages/MessageFilter.js"

/** Seconds that a request may wait for a message: at most, and by default. */
export const WAIT_MAX = 55
export const WAIT_DEFAULT = 30
/** Requests of an account that wait at the same time, over all processes (spec: sharing.wait.limit). */
export const WAITS_MAX_PER_ACCOUNT = 20

/** All conditions must hold; null matches any message. */
export interface WaitFilter extends MessageFilter {
  readonly hasCode: boolean | null
  readonly hasLink: boolean | null
}

/** The filter that every message matches. */
export const anyArrival: WaitFilter = { ...anyMessage, hasCode: null, hasLink: null }

/** What the filter reads of a message. */
export interface WaitedMessage extends FilteredMessage {
  readonly hasCode: boolean
  readonly hasLink: boolean
}

export const matchesWaitFilter = (filter: WaitFilter, message: WaitedMessage): boolean =>
  (filter.hasCode === null || message.hasCode === filter.hasCode) &&
  (filter.hasLink === null || message.hasLink === filter.hasLink) &&
  matchesFilter(filter, message)
