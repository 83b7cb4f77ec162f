/** The filter of a wait or a claim, from the fields of its request. */
import type { WaitFilterFields } from "@mailroom/api"
import { parseAddressPattern, type Direction, type WaitFilter } from "@mailroom/domain"

const timeOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text))

export const waitFilter = (direction: Direction, fields: WaitFilterFields): WaitFilter => ({
  direction,
  threadId: fields.threadId ?? null,
  labels: fields.labels ?? [],
  unread: fields.unread ?? null,
  from: fields.from === undefined ? null : parseAddressPattern(fields.from),
  to: fields.to === undefined ? null : parseAddressPattern(fields.to),
  subject: fields.subject ?? null,
  hasAttachment: fields.hasAttachment ?? null,
  since: timeOf(fields.since),
  before: timeOf(fields.before),
  hasCode: fields.hasCode ?? null,
  hasLink: fields.hasLink ?? null,
})
