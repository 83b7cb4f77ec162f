/** MX records in the order in which senders try them (RFC 5321 §5.1). */
import type { MxRecord } from "@mailroom/domain"

export const bestFirst = (records: ReadonlyArray<MxRecord>): ReadonlyArray<MxRecord> =>
  [...records].sort((a, b) => a.priority - b.priority || (a.exchange < b.exchange ? -1 : 1))
