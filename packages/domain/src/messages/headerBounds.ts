/** How much a message keeps of a header that a stranger wrote (docs/specification/resources.md). The raw mail has all. */
import {
  HEADER_ADDRESSES_MAX,
  HEADER_ADDRESSES_MAX_LENGTH,
  HEADER_TEXT_MAX_LENGTH,
  THREADING_MAX_IDS,
} from "../limits.js"
import { truncated } from "../unicode.js"
import type { ParsedAddress } from "./ParsedMail.js"

/** The first and the newest ids: those that take part in threading. `ids` are oldest first. */
export const keptReferences = (ids: ReadonlyArray<string>): ReadonlyArray<string> =>
  ids.length <= THREADING_MAX_IDS ? ids : [...ids.slice(0, 1), ...ids.slice(1 - THREADING_MAX_IDS)]

/** The first addresses of a field. */
export const keptAddresses = (all: ReadonlyArray<ParsedAddress>): ReadonlyArray<ParsedAddress> => {
  let length = 0
  const end = all.findIndex(({ address }) => (length += address.length) > HEADER_ADDRESSES_MAX_LENGTH)
  return all.slice(0, Math.min(HEADER_ADDRESSES_MAX, end === -1 ? all.length : end))
}

/** The beginning of a subject, a display name or a Content-ID. */
export const keptText = (text: string): string => truncated(text, HEADER_TEXT_MAX_LENGTH)
