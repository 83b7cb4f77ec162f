/**
 * Mail that comes back (decisions §6): to the signed return path of a message that left, or to the address where
 * complaints are collected. A report is taken in as one; everything else that comes back, a vacation note or an answer
 * in words, is for the mailbox that sent the message.
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
  type ReturnTarget,
} from "@mailroom/domain"
import { Array, Clock, Context, Effect, Either, Layer, Option } from "effect"
import { MailRemoval } from "../inbound/MailRemoval.js"
import type { ReadMail } from "../inbound/MailReader.js"
import { Settings } from "../ports/Settings.js"
import { type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { type Attributed, Reports } from "./Reports.js"
import { ReturnPaths } from "./ReturnPaths.js"

/** How long a report waits for the send that it is about to be written down. */
const WAIT_FOR_SENDER = 2000

/**
 * A mail to the address that a message gave for it. Who unsubscribes is who has that address: `from` counts only where the
 * address is the same for all recipients, in mail of versions before.
 */
const unsubscribing = (from: string, { recipient }: ReturnTarget): MailReport => ({
  recipients: [
    {
      addresses: recipient === null ? [from] : [],
      outcome: "unsubscribed",
      status: null,
      diagnostic: null,
      permanent: null,
    },
  ],
  returnPath: null,
})

/** A mail that is a report, and the message it is about. */
interface ReturnedReport<M> {
  readonly mail: M
  readonly attributed: Attributed
}

export interface Sorted<M> {
  readonly reports: ReadonlyArray<ReturnedReport<M>>
  /** those that become messages */
  readonly mails: ReadonlyArray<M>
}

export class BounceProcessor extends Context.Tag("@mailroom/BounceProcessor")<
  BounceProcessor,
  {
    /** Whether mail to this address is taken in although it is no mailbox's. */
    readonly isExpected: (address: string) => boolean
    /** Tells reports from mail for mailboxes. */
    readonly sort: <M extends ReadMail>(mails: ReadonlyArray<M>) => Effect.Effect<Sorted<M>>
    /** Takes in those reports that are still leased until `leaseUntil`. */
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
      const rawMails = yield* RawMailStore
      const removal = yield* MailRemoval
      const reports = yield* Reports
      const returnPaths = yield* ReturnPaths
      const { commit } = yield* UnitOfWork
      const { platformDomain } = yield* Settings

      const isFeedback = (address: string) => normalizeAddress(address) === feedbackAddress(platformDomain)
      const readAny = (address: string) =>
        Option.orElse(returnPaths.read("bounces", address), () => returnPaths.read("unsub", address))
      const isExpected = (address: string) => isFeedback(address) || Option.isSome(readAny(address))

      /** What a mail to this address says, and of which message. */
      const claimIn = ({ parsed, queued }: ReadMail, to: string): Option.Option<Attributed> => {
        const { from } = parsed
        const report = reportFrom(parsed, queued.envelope.from)
        const unsubscribed = Option.map(returnPaths.read("unsub", to), (target) => ({
          ...target,
          report: unsubscribing(from?.address ?? "", target),
        }))
        if (report === null || Option.isSome(unsubscribed)) return unsubscribed
        const path = isFeedback(to) ? (report.returnPath ?? "") : to
        return Option.map(returnPaths.read("bounces", path), (target) => ({ ...target, report }))
      }

      /** The report that a mail is, if it says something of one of its message's recipients, and goes to nobody else. */
      const attribute = (
        mail: ReadMail,
        messages: ReadonlyMap<MessageId, MessageRecord>,
      ): Option.Option<Attributed> => {
        const [to = "", ...others] = mail.queued.envelope.to
        return Option.filter(claimIn(mail, to), ({ messageId, recipient, report }) => {
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

      /** The mail for the mailboxes that sent what it came back from. A complaint without proof is for nobody. */
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

      const sort = Effect.fnUntraced(function* <M extends ReadMail>(mails: ReadonlyArray<M>) {
        if (!mails.some(({ queued }) => queued.envelope.to.some(isExpected)))
          return { reports: [], mails } satisfies Sorted<M>
        const found = yield* messageStore.sent([...new Set(mails.flatMap(messagesIn))])
        const messages = new Map(found.map((message) => [message.content.id, message]))
        const [others, returned] = Array.partitionMap(mails, (mail) =>
          Option.match(attribute(mail, messages), {
            onNone: () => Either.left(forSenders(mail, messages)),
            onSome: (attributed) => Either.right({ mail, attributed }),
          }),
        )
        return { reports: returned, mails: others } satisfies Sorted<M>
      })

      const take = Effect.fnUntraced(function* (
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

      /** One that comes before its send is written down waits; the others do not wait with it. */
      const deliver = (
        returned: ReadonlyArray<ReturnedReport<ReadMail>>,
        leaseUntil: Instant,
      ): Effect.Effect<void> =>
        returned.length === 0
          ? Effect.void
          : Effect.catchTag(commit(take(returned, leaseUntil)), "ReportTooEarly", () =>
              returned.length > 1
                ? Effect.forEach(returned, (one) => deliver([one], leaseUntil), { discard: true })
                : Effect.flatMap(Clock.currentTimeMillis, (now) =>
                    rawMails.release(
                      returned.map(({ mail }) => mail.queued.id),
                      leaseUntil,
                      now + WAIT_FOR_SENDER,
                    ),
                  ),
            )

      return { isExpected, sort, deliver }
    }),
  )
}
