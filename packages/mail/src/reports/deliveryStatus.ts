/** Delivery status notifications (RFC 3464, RFC 6533), also irregular ones. */
import type { Outcome, RecipientReport } from "@mailroom/domain"
import { diagnosticOf } from "@mailroom/domain/reports/diagnostic"
import { enhancedStatus, exactStatus } from "@mailroom/domain/reports/status"
import { addressIn, type ReportField, readReportFields, typedAddresses } from "./reportParts.js"

export interface DeliveryStatus {
  readonly recipients: ReadonlyArray<RecipientReport>
  /** false: it has an outcome, and no field names its recipient */
  readonly isNamed: boolean
  /** the envelope sender, from Postfix's `X-Postfix-Sender`; null without it */
  readonly sender: string | null
}

type Group = Map<string, string>

const ofRecipient = new Set(["original-recipient", "final-recipient", "action", "status", "diagnostic-code"])

const isNamed = (group: Group): boolean => group.has("original-recipient") || group.has("final-recipient")

/**
 * Groups of fields, one per recipient. They end at an empty line (RFC 3464 §2.1), but some servers put empty lines between
 * all fields and others none. So a group also begins where a field repeats, and after an empty line where a recipient is
 * named and the group before has its outcome.
 */
const groupsOf = (fields: ReadonlyArray<ReportField>): ReadonlyArray<Group> => {
  const groups: Array<Group> = []
  let group: Group | undefined
  for (const { name, value, startsGroup } of fields) {
    const namesNext =
      group !== undefined &&
      startsGroup &&
      /^(?:original|final)-recipient$/.test(name) &&
      isNamed(group) &&
      (group.has("action") || group.has("status"))
    const repeats = group?.has(name) === true && ofRecipient.has(name)
    if (group === undefined || repeats || namesNext) {
      group = new Map()
      groups.push(group)
    }
    if (!group.has(name)) group.set(name, value)
  }
  return groups
}

/**
 * RFC 3464 §2.3.3. `expanded`: delivered to a list, no report will follow. `expired` is not in the RFC: the server gave up
 * after its last attempt.
 */
const actions: Readonly<Record<string, Outcome>> = {
  failed: "bounced",
  expired: "bounced",
  delayed: "delayed",
  delivered: "delivered",
  relayed: "delivered",
  expanded: "delivered",
}

const classes: Readonly<Record<string, Outcome>> = { "2": "delivered", "4": "delayed", "5": "bounced" }

const actionOf = (group: Group): string => /^[a-z]+/i.exec(group.get("action") ?? "")?.[0].toLowerCase() ?? ""

const outcomeOf = (group: Group, status: string | null): Outcome | null =>
  actions[actionOf(group)] ?? classes[status?.slice(0, 1) ?? ""] ?? null

/** Removes the diagnostic type from `smtp; 550 5.1.1 …` (RFC 3464 §2.3.6). */
const withoutType = (code: string): string => code.replace(/^\s*[a-z][a-z0-9-]{0,29}\s*;/i, "")

const recipientOf = (group: Group): RecipientReport | null => {
  const given = /^\D{0,20}([245]\.\d{1,3}\.\d{1,3})/.exec(group.get("status") ?? "")?.[1] ?? null
  const diagnostic = diagnosticOf(withoutType(group.get("diagnostic-code") ?? ""))
  const status = exactStatus(given, enhancedStatus(diagnostic ?? ""))
  const outcome = outcomeOf(group, status)
  const addresses = [group.get("original-recipient") ?? "", group.get("final-recipient") ?? ""]
  if (outcome === null) return null
  return {
    addresses: [...new Set(addresses.flatMap(typedAddresses))],
    outcome,
    status,
    diagnostic,
    // The replies were transient (4yz) up to the last attempt.
    permanent: actionOf(group) === "expired" ? false : null,
  }
}

const isExpanded = (group: Group): boolean => actionOf(group) === "expanded"

/** The groups that name a recipient; when none does, those with an outcome. */
const aboutRecipients = (groups: ReadonlyArray<Group>): ReadonlyArray<Group> => {
  const named = groups.filter(isNamed)
  return named.length > 0 ? named : groups.filter((group) => group.has("action") || group.has("status"))
}

/** null when the text has no outcome, and so is no delivery status. */
export const readDeliveryStatus = (text: string): DeliveryStatus | null => {
  const all = groupsOf(readReportFields(text))
  const groups = aboutRecipients(all)
  const reported = groups.filter((group) => !isExpanded(group))
  const recipients = reported.map(recipientOf).filter((recipient) => recipient !== null)
  const expanded = groups.filter(isExpanded).map(recipientOf)
  const known = recipients.length > 0 ? recipients : expanded.filter((recipient) => recipient !== null)
  if (known.length === 0) return null
  const sender = all.find((group) => group.has("x-postfix-sender"))?.get("x-postfix-sender") ?? ""
  return {
    recipients: known,
    isNamed: groups.some(isNamed),
    sender: addressIn(withoutType(sender)) === null ? null : withoutType(sender).trim(),
  }
}
