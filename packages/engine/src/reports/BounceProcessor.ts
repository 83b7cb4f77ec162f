/**
 * Processes mail to the signed return path of a sent message or to the address for complaints
 * (`spec: decisions.reports.return-path`). A report (bounce, complaint, unsubscribe) is applied to its message. Other mail there,
 * such as a vacation reply, goes to the mailbox that sent the message.
 */
import {
  feedbackAddress,
  type Instant,
  type MailReport,
  type MessageId,
  normalizeAddress,
  recipientAt,
  recipientOfReport,
  reportFrom,
  ReturnKind,
  type ReturnTarget,
} from "@mailroom/domain"
import { Array, Clock, Context, Effect, Either, Layer, Option } from "effect"
import { MailRemoval } from "../inbound/MailRemoval.js"
import type { ReadMail } from "../inbound/MailReader.js"
import { Settings } from "../ports/Settings.js"
import { type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { type RemovedSend, SendingHealthStore } from "../ports/stores/SendingHealthStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { type Attributed, Reports } from "./Reports.js"
import { ReturnPaths } from "./ReturnPaths.js"

/** Milliseconds after which a report is tried again whose message is still SENDING. */
const RETRY_TOO_EARLY_AFTER = 2000

/** The addresses of List-Unsubscribe, and what a mail to one of them means. */
const UNSUBSCRIBING = [
  { kind: "unsub", outcome: "unsubscribed" },
  { kind: "optout", outcome: "opted-out" },
] as const

/**
 * The report for a mail to a List-Unsubscribe address. The address identifies the recipient who unsubscribes. Addresses of
 * earlier versions were the same for all recipients; there, `from` identifies the recipient.
 */
const unsubscribeReport = (
  from: string,
  { recipient }: ReturnTarget,
  outcome: (typeof UNSUBSCRIBING)[number]["outcome"],
): MailReport => ({
  recipients: [
    {
      addresses: recipient === null ? [from] : [],
      outcome,
      status: null,
      diagnostic: null,
      permanent: null,
    },
  ],
  returnPath: null,
})

/** A mail that is a report, and the message that it is about. */
interface ReturnedReport<M> {
  readonly mail: M
  readonly attributed: Attributed
}

export interface Classified<M> {
  readonly reports: ReadonlyArray<ReturnedReport<M>>
  /** mails that become messages */
  readonly mails: ReadonlyArray<M>
}

export class BounceProcessor extends Context.Tag("@mailroom/BounceProcessor")<
  BounceProcessor,
  {
    /** Whether to accept mail for this address although no mailbox has it: a return path or the address for complaints. */
    readonly isReportAddress: (address: string) => boolean
    /** Separates reports from mail for mailboxes. Mail to a return path that is no report gets its sender as recipient. */
    readonly classify: <M extends ReadMail>(mails: ReadonlyArray<M>) => Effect.Effect<Classified<M>>
    /** Applies the reports that are still leased until `leaseUntil`, and removes their mails. */
    readonly deliver: (
      reports: ReadonlyArray<ReturnedReport<ReadMail>>,
      leaseUntil: Instant,
    ) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    BounceProcessor,
    Effect.gen(function* () {
      const messageStore = yield* MessageStore
      const health = yield* SendingHealthStore
      const rawMails = yield* RawMailStore
      const removal = yield* MailRemoval
      const reports = yield* Reports
      const returnPaths = yield* ReturnPaths
      const { commit } = yield* UnitOfWork
      const { platformDomain } = yield* Settings

      const isFeedback = (address: string) => normalizeAddress(address) === feedbackAddress(platformDomain)
      const readAny = (address: string) =>
        Option.firstSomeOf(ReturnKind.literals.map((kind) => returnPaths.read(kind, address)))
      const isReportAddress = (address: string) => isFeedback(address) || Option.isSome(readAny(address))

      /** The report in a mail to this address, and its message. */
      const reportIn = ({ parsed, queued }: ReadMail, to: string): Option.Option<Attributed> => {
        const { from } = parsed
        const report = reportFrom(parsed, queued.envelope.from)
        const unsubscribed = Option.firstSomeOf(
          UNSUBSCRIBING.map(({ kind, outcome }) =>
            Option.map(returnPaths.read(kind, to), (target) => ({
              ...target,
              report: unsubscribeReport(from?.address ?? "", target, outcome),
            })),
          ),
        )
        if (report === null || Option.isSome(unsubscribed)) return unsubscribed
        const path = isFeedback(to) ? (report.returnPath ?? "") : to
        return Option.map(returnPaths.read("bounces", path), (target) => ({ ...target, report }))
      }

      /** The report in a mail with one recipient, if it is about a recipient of its message. */
      const attribute = (
        mail: ReadMail,
        messages: ReadonlyMap<MessageId, RemovedSend>,
      ): Option.Option<Attributed> => {
        const [to = "", ...others] = mail.queued.envelope.to
        return Option.filter(reportIn(mail, to), ({ messageId, recipient, report }) => {
          const message = messages.get(messageId)
          if (others.length > 0 || message === undefined) return false
          const proven = recipientAt(message.content, recipient)
          return report.recipients.some((one) => recipientOfReport(message.content, one, proven) !== null)
        })
      }

      const messagesIn = ({ queued, parsed }: ReadMail): ReadonlyArray<MessageId> =>
        [...queued.envelope.to, reportFrom(parsed, queued.envelope.from)?.returnPath ?? ""].flatMap(
          (address) => Option.toArray(Option.map(readAny(address), ({ messageId }) => messageId)),
        )

      /**
       * The mail, readdressed from return paths to the senders' mailboxes. A complaint that names no message has no
       * recipient.
       */
      const forSenders = <M extends ReadMail>(
        mail: M,
        messages: ReadonlyMap<MessageId, MessageRecord>,
      ): M => {
        const to = mail.queued.envelope.to.flatMap((address) => {
          if (isFeedback(address)) return []
          return Option.match(readAny(address), {
            onNone: () => [address],
            onSome: ({ messageId }) => messages.get(messageId)?.content.fromAddress ?? [],
          })
        })
        return { ...mail, queued: { ...mail.queued, envelope: { ...mail.queued.envelope, to } } }
      }

      const classify = Effect.fnUntraced(function* <M extends ReadMail>(mails: ReadonlyArray<M>) {
        if (!mails.some(({ queued }) => queued.envelope.to.some(isReportAddress)))
          return { reports: [], mails } satisfies Classified<M>
        const wanted = [...new Set(mails.flatMap(messagesIn))]
        const found = yield* messageStore.sent(wanted)
        const messages = new Map(found.map((message) => [message.content.id, message]))
        const missing = wanted.filter((id) => !messages.has(id))
        const removed = missing.length === 0 ? [] : yield* health.removed(missing)
        const reported = new Map([
          ...messages,
          ...removed.map((message) => [message.content.id, message] as const),
        ])
        const [others, returned] = Array.partitionMap(mails, (mail) =>
          Option.match(attribute(mail, reported), {
            onNone: () => Either.left(forSenders(mail, messages)),
            onSome: (attributed) => Either.right({ mail, attributed }),
          }),
        )
        return { reports: returned, mails: others } satisfies Classified<M>
      })

      const applyLeased = Effect.fnUntraced(function* (
        returned: ReadonlyArray<ReturnedReport<ReadMail>>,
        leaseUntil: Instant,
      ) {
        const finished = new Set(
          yield* rawMails.finish(
            returned.map(({ mail }) => mail.queued.id),
            leaseUntil,
          ),
        )
        const ours = returned.filter(({ mail }) => finished.has(mail.queued.id))
        yield* reports.apply(ours.map(({ attributed }) => attributed))
        yield* removal.discard(
          ours.map(({ mail }) => mail),
          yield* Clock.currentTimeMillis,
        )
      })

      /**
       * If a report in the batch is too early, applies each report alone and releases the early ones for a later
       * attempt.
       */
      const deliver = (
        returned: ReadonlyArray<ReturnedReport<ReadMail>>,
        leaseUntil: Instant,
      ): Effect.Effect<void> =>
        returned.length === 0
          ? Effect.void
          : Effect.catchTag(commit(applyLeased(returned, leaseUntil)), "ReportTooEarly", () =>
              returned.length > 1
                ? Effect.forEach(returned, (one) => deliver([one], leaseUntil), { discard: true })
                : Effect.flatMap(Clock.currentTimeMillis, (now) =>
                    rawMails.release(
                      returned.map(({ mail }) => mail.queued.id),
                      leaseUntil,
                      now + RETRY_TOO_EARLY_AFTER,
                    ),
                  ),
            )

      return { isReportAddress, classify, deliver }
    }),
  )
}
