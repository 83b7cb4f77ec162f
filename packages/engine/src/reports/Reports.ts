/**
 * Applies reports about sent mail: they become events, change the status of the message and extend the suppression list
 * (`spec: events.emission.bounced`; docs/decisions/0031).
 */
import {
  type AccountRecord,
  addTo,
  type Bounce,
  bouncedEvent,
  complaintEvent,
  dayOf,
  deliveredEvent,
  type EventEnvelope,
  type Instant,
  isSimulated,
  type MailReport,
  type MessageId,
  type MessageStatus,
  recipientAt,
  type RecipientReport,
  recipientOfReport,
  ReportTooEarly,
  type Reported,
  type ReturnTarget,
  statusAfter,
  suppressionAfter,
  SuppressionId,
  type SuppressionReason,
  type SuppressionRecord,
} from "@mailroom/domain"
import { Array, Clock, Context, Effect, Layer, Option } from "effect"
import { EventRecorder, type NewEvent } from "../events/EventRecorder.js"
import { Ids } from "../ids/Ids.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { explain, type LogFields, logLine } from "../mailLog.js"
import { Metrics } from "../metrics.js"
import { MailboxSuppressionStore } from "../ports/stores/MailboxSuppressionStore.js"
import { MailCountStore } from "../ports/stores/MailCountStore.js"
import { type ReportRecord, ReportStore } from "../ports/stores/ReportStore.js"
import { type RemovedSend, SendingHealthStore } from "../ports/stores/SendingHealthStore.js"
import { SuppressionStore } from "../ports/stores/SuppressionStore.js"
import { type HarmfulSend, SendingHealth } from "../reputation/SendingHealth.js"
import { afterCommit, UnitOfWork } from "../UnitOfWork.js"
import { ReturnPaths } from "./ReturnPaths.js"

/** A report, and the message and recipient of the signed return path that it came to. */
export interface Attributed extends ReturnTarget {
  readonly report: MailReport
}

/** The report of one recipient, matched to its message. */
interface Finding<M extends RemovedSend = MessageRecord> {
  readonly message: M
  readonly recipient: string
  readonly outcome: Reported
  readonly report: RecipientReport
  /** why the address is suppressed; null when it is not */
  readonly suppression: SuppressionReason | null
}

/** Whether it says that the address does not exist. */
const isHardBounce = ({ outcome, report }: Finding<RemovedSend>): boolean =>
  outcome === "bounced" && suppressionAfter(report) === "BOUNCE"

/** A reader may opt out again, after the owner has removed the entry of the first time. */
const isOptOut = ({ outcome }: Finding): boolean => outcome === "unsubscribed" || outcome === "opted-out"

const keyOf = ({ messageId, recipient, outcome }: Omit<ReportRecord, "reportedAt">): string =>
  `${messageId} ${outcome} ${recipient}`
const keyOfFinding = ({ message, recipient }: Finding, outcome: ReportRecord["outcome"]): string =>
  keyOf({ messageId: message.content.id, recipient, outcome })

/** What is stored of a finding. Of a hard bounce also that it was hard, because a soft one may come before it. */
const recordsOf = (finding: Finding, reportedAt: Instant): ReadonlyArray<ReportRecord> => {
  const { message, recipient, outcome } = finding
  const record = { messageId: message.content.id, recipient, outcome, reportedAt }
  return isHardBounce(finding) ? [record, { ...record, outcome: "hard-bounced" }] : [record]
}

const findingsIn = <M extends RemovedSend>(
  messages: ReadonlyMap<MessageId, M>,
  { messageId, recipient: place, report }: Attributed,
  platformDomain: string,
): ReadonlyArray<Finding<M>> => {
  const message = messages.get(messageId)
  if (message === undefined) return []
  const proven = recipientAt(message.content, place)
  return report.recipients.flatMap((one) => {
    const recipient = recipientOfReport(message.content, one, proven)
    if (recipient === null || one.outcome === "delayed") return []
    const reason = suppressionAfter(one)
    // The simulator bounces and complains every time (docs/decisions/0069).
    const isExempt = reason !== "MANUAL" && isSimulated(recipient, platformDomain)
    return [{ message, recipient, outcome: one.outcome, report: one, suppression: isExempt ? null : reason }]
  })
}

const bounceOf = ({ recipient, report }: Finding): Bounce => ({
  recipient,
  status: report.status,
  diagnostic: report.diagnostic,
  permanent: suppressionAfter(report) === "BOUNCE",
})

const logLineOf: Readonly<Record<Reported, string>> = {
  delivered: "mail reached its recipient",
  bounced: "mail bounced",
  complained: "recipient complained",
  unsubscribed: "recipient unsubscribed",
  "opted-out": "recipient unsubscribed from the mailbox",
}

const fieldsOf = ({ message, recipient, report, suppression }: Finding<RemovedSend>): LogFields => ({
  messageId: message.content.id,
  accountId: message.accountId,
  mailboxId: message.content.mailboxId,
  to: recipient,
  status: report.status,
  diagnostic: report.diagnostic,
  suppressed: suppression ?? "no",
})

const logFindings = (findings: ReadonlyArray<Finding<RemovedSend>>) =>
  Effect.forEach(
    findings,
    (finding) =>
      Effect.zipRight(
        Metrics.mailReported(finding.outcome),
        logLine(logLineOf[finding.outcome], fieldsOf(finding)),
      ),
    { discard: true },
  )

/** What a report adds to the counters of its mailbox. Unsubscriptions have no counter. */
const countsOf = ({ message, outcome }: Finding) =>
  outcome === "unsubscribed" || outcome === "opted-out"
    ? []
    : [{ accountId: message.accountId, mailboxId: message.content.mailboxId, [outcome]: 1 }]

/** The reports that count in the sending health: complaints, and bounces that say that the address does not exist. */
const harmfulSends = (finding: Finding<RemovedSend>): ReadonlyArray<HarmfulSend> => {
  const { message, recipient, outcome } = finding
  if (outcome === "complained") return [{ message, recipient, outcome }]
  return isHardBounce(finding) ? [{ message, recipient, outcome: "bounced" }] : []
}

/** The event of an outcome; null where it has none. */
const envelopeOf = (
  { content }: MessageRecord,
  outcome: Reported,
  findings: ReadonlyArray<Finding>,
  at: Instant,
): EventEnvelope | null => {
  const mailbox = { id: content.mailboxId, fullAddress: content.fromAddress }
  const recipients = findings.map(({ recipient }) => recipient)
  switch (outcome) {
    case "delivered":
      return deliveredEvent(content, mailbox, recipients, at)
    case "bounced":
      return bouncedEvent(content, mailbox, findings.map(bounceOf), at)
    case "complained":
      return complaintEvent(content, mailbox, recipients, at)
    case "unsubscribed":
    case "opted-out":
      return null
  }
}

export class Reports extends Context.Tag("@mailroom/Reports")<
  Reports,
  {
    /**
     * Applies reports of a mail provider, which name the return path. Ignores one with a return path that this service did
     * not sign, and one that was applied before, unless it is an opt-out. `ReportTooEarly`: one of the messages is still SENDING; no report was
     * applied.
     */
    readonly take: (reports: ReadonlyArray<MailReport>) => Effect.Effect<void, ReportTooEarly>
    /** Inside a transaction: as `take`, for reports that came by mail. */
    readonly apply: (reports: ReadonlyArray<Attributed>) => Effect.Effect<void, ReportTooEarly>
  }
>() {
  static readonly layer = Layer.effect(
    Reports,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const messageStore = yield* MessageStore
      const reportStore = yield* ReportStore
      const counts = yield* MailCountStore
      const health = yield* SendingHealth
      const healthStore = yield* SendingHealthStore
      const suppressions = yield* SuppressionStore
      const mailboxSuppressions = yield* MailboxSuppressionStore
      const { platformDomain } = yield* Settings
      const returnPaths = yield* ReturnPaths
      const events = yield* EventRecorder
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork

      /** The messages, and what is kept of those among them that were removed. */
      const readMessages = Effect.fnUntraced(function* (wanted: ReadonlyArray<MessageId>) {
        const messages = yield* messageStore.sent(wanted)
        const found = new Set(messages.map(({ content }) => content.id))
        const missing = wanted.filter((id) => !found.has(id))
        return { messages, removed: missing.length === 0 ? [] : yield* healthStore.removed(missing) }
      })

      const byId = <M extends RemovedSend>(messages: ReadonlyArray<M>): ReadonlyMap<MessageId, M> =>
        new Map(messages.map((message) => [message.content.id, message]))

      /** Locks the accounts of the messages, then reads the messages. */
      const lockMessages = Effect.fnUntraced(function* (wanted: ReadonlyArray<MessageId>) {
        const before = yield* readMessages(wanted)
        const accountIds = [...before.messages, ...before.removed].map(({ accountId }) => accountId)
        const owners = yield* accounts.lock([...new Set(accountIds)])
        const { messages, removed } = owners.length === 0 ? before : yield* readMessages(wanted)
        const locked = new Set(owners.map(({ id }) => id))
        const isLocked = ({ accountId }: RemovedSend) => locked.has(accountId)
        return { owners, messages: byId(messages.filter(isLocked)), removed: byId(removed.filter(isLocked)) }
      })

      const suppress = Effect.fnUntraced(function* (
        { message, recipient, outcome, suppression: reason }: Finding<RemovedSend>,
        now: Instant,
      ) {
        if (reason === null) return
        const suppression: SuppressionRecord = {
          id: SuppressionId.make(yield* ids.uuid),
          accountId: message.accountId,
          email: recipient,
          reason,
          createdAt: now,
        }
        const { mailboxId } = message.content
        yield* outcome === "opted-out"
          ? mailboxSuppressions.insert({ ...suppression, mailboxId })
          : suppressions.insert(suppression)
      })

      const countBounces = (owner: AccountRecord, findings: ReadonlyArray<Finding>, now: Instant) => {
        const bounced = findings.filter(
          ({ message, outcome }) => message.accountId === owner.id && outcome === "bounced",
        ).length
        return bounced === 0
          ? Effect.void
          : accounts.save({ ...owner, bouncedDay: addTo(owner.bouncedDay, dayOf(now), bounced) })
      }

      /**
       * Applies reports about removed messages: they suppress, and count in the sending health (`spec:
       * reputation.health.deleted`). No status, event or counter changes, and a repeated report changes nothing.
       */
      const applyToRemoved = Effect.fnUntraced(function* (
        findings: ReadonlyArray<Finding<RemovedSend>>,
        now: Instant,
      ) {
        if (findings.length === 0) return
        yield* afterCommit(logFindings(findings))
        yield* Effect.forEach(findings, (finding) => suppress(finding, now), { discard: true })
        yield* health.reported(findings.flatMap(harmfulSends), now)
      })

      const apply = Effect.fnUntraced(function* (reports: ReadonlyArray<Attributed>) {
        const { owners, messages, removed } = yield* lockMessages([
          ...new Set(reports.map(({ messageId }) => messageId)),
        ])
        if ([...messages.values()].some(({ status }) => status === "SENDING"))
          return yield* new ReportTooEarly()
        const now = yield* Clock.currentTimeMillis
        yield* applyToRemoved(
          reports.flatMap((one) => findingsIn(removed, one, platformDomain)),
          now,
        )
        const found = new Map<string, Finding>()
        for (const finding of reports.flatMap((one) => findingsIn(messages, one, platformDomain))) {
          const key = keyOfFinding(finding, finding.outcome)
          if (!found.has(key) || isHardBounce(finding)) found.set(key, finding)
        }
        if (found.size === 0) return
        const all = [...found.values()]
        const fresh = yield* reportStore.insertNew(all.flatMap((finding) => recordsOf(finding, now)))
        const freshKeys = new Set(fresh.map(keyOf))
        const isFirst = (finding: Finding) => freshKeys.has(keyOfFinding(finding, finding.outcome))
        const findings = all.filter(
          (finding) =>
            isFirst(finding) || isOptOut(finding) || freshKeys.has(keyOfFinding(finding, "hard-bounced")),
        )
        // A hard bounce after a soft one counts in the sending health only: its recipient bounced once.
        const counted = findings.filter(isFirst)
        yield* explain("reports applied", () => ({
          reports: reports.length,
          findings: all.length,
          known: all.length - findings.length,
        }))
        yield* afterCommit(logFindings(findings))

        yield* Effect.forEach(findings, (finding) => suppress(finding, now), { discard: true })
        yield* Effect.forEach(owners, (owner) => countBounces(owner, counted, now), { discard: true })
        const statuses = new Map<MessageId, MessageStatus>()
        for (const { message, outcome } of findings) {
          const { id } = message.content
          statuses.set(id, statusAfter(statuses.get(id) ?? message.status, outcome))
        }
        for (const [id, status] of statuses)
          if (status !== messages.get(id)?.status) yield* messageStore.setStatus(id, status, null)

        // One event for all recipients of a message with the same outcome.
        const grouped = Object.values(
          Array.groupBy(findings, ({ message, outcome }) => `${message.content.id} ${outcome}`),
        )
        yield* events.record(
          grouped.flatMap((group): ReadonlyArray<NewEvent> => {
            const [{ message, outcome }] = group
            const envelope = envelopeOf(message, outcome, group, now)
            const { mailboxId } = message.content
            return envelope === null ? [] : [{ accountId: message.accountId, mailboxId, envelope, at: now }]
          }),
        )
        yield* counts.add(counted.flatMap(countsOf), now)
        yield* health.reported(findings.flatMap(harmfulSends), now)
      })

      return {
        take: (reports) => {
          const attributed = reports.flatMap((report) =>
            Option.toArray(
              Option.flatMap(Option.fromNullable(report.returnPath), (path) =>
                returnPaths.read("bounces", path),
              ),
            ).map((target) => ({ ...target, report })),
          )
          return attributed.length === 0 ? Effect.void : commit(apply(attributed))
        },
        apply,
      }
    }),
  )
}
