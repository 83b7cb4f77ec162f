/** Filtered lists: the filter of a query, and the cursors of its pages. */
import type { FilterParameters } from "@mailroom/api"
import {
  type ClaimCondition,
  instantOf,
  type MessageFilter,
  MessageId,
  parseAddressPattern,
  queryCursorsByCreation,
} from "@mailroom/domain"

const timeOf = (text: string | undefined): number | null => (text === undefined ? null : instantOf(text))
const patternOf = (text: string | undefined) => (text === undefined ? null : parseAddressPattern(text))

export const filterOf = (
  parameters: FilterParameters & { readonly claim?: ClaimCondition | undefined },
): MessageFilter => ({
  direction: parameters.direction ?? null,
  threadId: parameters.threadId ?? null,
  labels: parameters.labels ?? [],
  unread: parameters.unread ?? null,
  from: patternOf(parameters.from),
  to: patternOf(parameters.to),
  subject: parameters.subject ?? null,
  hasAttachment: parameters.hasAttachment ?? null,
  since: timeOf(parameters.since),
  before: timeOf(parameters.before),
  claim: parameters.claim ?? null,
})

interface QuarantineParameters {
  readonly include?: "quarantined" | undefined
  readonly quarantined?: boolean | undefined
}

/** Whether a list shows quarantined messages, and no others. What is not so is absent. */
export const quarantineOf = ({ include, quarantined }: QuarantineParameters) => ({
  ...((include === "quarantined" || quarantined === true) && { withQuarantined: true }),
  ...(quarantined === true && { onlyQuarantined: true }),
})

/** Whether a read shows a quarantined message. */
export const includesQuarantined = ({ include }: Pick<QuarantineParameters, "include">): boolean =>
  include === "quarantined"

/** The cursors of a list of messages, by its query. */
export const messageCursors = queryCursorsByCreation(MessageId)
