/** Where mail goes: what is for the platform's own mailboxes stays inside, the rest leaves (decisions §5). */
import {
  domainOf,
  onPlatform,
  RelayRefused,
  type RelayFailure,
  RelayUnavailable,
  type RelayedRecipient,
} from "@mailroom/domain"
import { Array, Clock, Context, Effect, Either, Layer } from "effect"
import { type OutboundEnvelope, OutboundMail } from "../ports/OutboundMail.js"
import { hasMailbox, judgeRecipients, mailboxAddress } from "../inbound/spool.js"
import { RoleAddresses } from "../inbound/RoleAddresses.js"
import { explain, type LogFields, logLine } from "../mailLog.js"
import { Metrics, type RelayOutcome } from "../metrics.js"
import { Settings } from "../ports/Settings.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { MailboxStore, type RecipientFacts } from "../ports/stores/MailboxStore.js"
import { BounceProcessor } from "../reports/BounceProcessor.js"

/** Of one message: fewer than a relay's connections (5 by default), so that other messages go on meanwhile. */
const RELAYED_AT_ONCE = 3

/** A mail that cannot be made now was not sent to its recipient, whatever became of the others. */
const orUnavailable = <A>(mail: Effect.Effect<A>): Effect.Effect<A, RelayUnavailable> =>
  Effect.catchAllCause(mail, (cause) =>
    Effect.zipRight(
      Effect.logError("A mail could not be composed or signed", cause),
      new RelayUnavailable({ reason: "the mail could not be made" }),
    ),
  )

/** What the relay said of a mail, in its own words where it has any. */
const answerOf = (result: Either.Either<{ readonly answer: string }, RelayFailure>): string => {
  if (Either.isRight(result)) return result.right.answer
  return result.left._tag === "RelayRefused" ? result.left.answer : result.left.reason
}

const outcomes = {
  RelayRefused: "refused",
  RelayUnavailable: "unavailable",
  RelayUncertain: "uncertain",
} satisfies Record<RelayFailure["_tag"], RelayOutcome>

/** One line and one count for a mail that was handed to the relay for one recipient. A relay that is away is a warning. */
const noteAnswer = (
  about: LogFields,
  to: string,
  result: Either.Either<{ readonly answer: string }, RelayFailure>,
  millis: number,
): Effect.Effect<void> => {
  const answer = answerOf(result)
  const outcome = Either.isRight(result) ? "sent" : outcomes[result.left._tag]
  const code = /^[2-5]\d\d(?= |$)/.exec(answer)?.[0] ?? "none"
  const fields: LogFields = { ...about, to, answer, tookMs: millis }
  const line = {
    sent: logLine("mail sent", fields),
    refused: logLine("mail refused by the relay", fields),
    unavailable: Effect.logWarning("the relay is unavailable; the mail was not sent", fields),
    uncertain: Effect.logWarning("the relay may have taken the mail; it is not sent again", fields),
  }[outcome]
  return Effect.zipRight(Metrics.relayAnswered(outcome, code, millis), line)
}

export interface OutgoingMail {
  readonly envelope: Omit<OutboundEnvelope, "to">
  readonly raw: Uint8Array
}

export interface Routed {
  /** accepted recipients on the platform: to be put into the delivery queue with the sender's own transaction */
  readonly inside: ReadonlyArray<string>
  /** recipients for the relay */
  readonly outside: ReadonlyArray<string>
}

export class MailRouter extends Context.Tag("@mailroom/MailRouter")<
  MailRouter,
  {
    /**
     * Judges the recipients inside as SMTP would: unknown ones are refused, those not provisioned yet must wait.
     * `inside`: what is known of the mailboxes among the recipients, where that was read before.
     */
    readonly route: (
      recipients: ReadonlyArray<string>,
      inside?: ReadonlyArray<RecipientFacts>,
    ) => Effect.Effect<Routed, RelayRefused | RelayUnavailable>
    /**
     * Hands a mail to the relay for each recipient outside, a few at a time (docs/decisions/0042): every one has a return
     * path of his own. Returns the answers in the order of the recipients. Once the relay is unavailable it is not asked
     * for those who are left. `about`: what the log lines name beside the recipient and the answer.
     */
    readonly relay: (
      recipients: ReadonlyArray<string>,
      mailFor: (recipient: string) => Effect.Effect<OutgoingMail>,
      about: LogFields,
    ) => Effect.Effect<ReadonlyArray<RelayedRecipient>>
  }
>() {
  static readonly layer = Layer.effect(
    MailRouter,
    Effect.gen(function* () {
      const domains = yield* DomainStore
      const mailboxes = yield* MailboxStore
      const outbound = yield* OutboundMail
      const returned = yield* BounceProcessor
      const roles = yield* RoleAddresses
      const { platformDomain } = yield* Settings
      return {
        route: Effect.fnUntraced(function* (recipients, known) {
          const inside = known ?? (yield* mailboxes.recipients(recipients.map(mailboxAddress)))
          // Of a custom domain the MX tells who has the address.
          const platform = recipients.filter((address) => onPlatform(address, platformDomain))
          const judgedRoles = yield* roles.judge(platform, hasMailbox(inside))
          const judged = judgeRecipients(recipients, inside, returned.isExpected, judgedRoles)
          const verdicts = Array.zipWith(recipients, judged, (address, { kind }) => ({ address, kind }))
          const custom = verdicts
            .filter(({ kind, address }) => kind !== "unknown" && !onPlatform(address, platformDomain))
            .map(({ address }) => domainOf(address))
          // Where mail goes for a domain whose owner does not point it here any more is for its MX to say.
          const verified = new Set(custom.length === 0 ? [] : yield* domains.verifiedAmong(custom))
          // A custom domain of ours may have mailboxes elsewhere too: only the platform domain is ours alone.
          const isInside = ({ kind, address }: (typeof verdicts)[number]) =>
            onPlatform(address, platformDomain) || (kind !== "unknown" && verified.has(domainOf(address)))
          const ours = verdicts.filter(isInside)
          const refused = ours.filter(({ kind }) => kind === "unknown" || kind === "suspended")
          if (refused.length > 0)
            return yield* new RelayRefused({
              answer: "no such mailbox, or it takes no mail",
              recipients: refused.map(({ address }) => address),
            })
          const waiting = ours.find(({ kind }) => kind === "not provisioned" || kind === "busy")
          if (waiting !== undefined)
            return yield* new RelayUnavailable({
              reason:
                waiting.kind === "busy"
                  ? `${waiting.address} takes no more mail in this hour`
                  : `${waiting.address} is not provisioned yet`,
            })
          const routed: Routed = {
            inside: ours.map(({ address }) => address),
            outside: verdicts.filter((one) => !isInside(one)).map(({ address }) => address),
          }
          yield* explain("where the mail goes", () => ({ inside: routed.inside, relay: routed.outside }))
          return routed
        }),
        relay: (recipients, mailFor, about) =>
          Effect.suspend(() => {
            let away: RelayUnavailable | null = null
            const relayOne = Effect.fnUntraced(function* (recipient: string) {
              if (away !== null) return { recipient, failure: away } satisfies RelayedRecipient
              const startedAt = yield* Clock.currentTimeMillis
              const result = yield* Effect.flatMap(orUnavailable(mailFor(recipient)), ({ envelope, raw }) =>
                outbound.send({ ...envelope, to: [recipient] }, raw),
              ).pipe(Effect.either)
              yield* noteAnswer(about, recipient, result, (yield* Clock.currentTimeMillis) - startedAt)
              const failure = Either.isLeft(result) ? result.left : null
              if (failure?._tag === "RelayUnavailable") away = failure
              return { recipient, failure } satisfies RelayedRecipient
            })
            return Effect.forEach(recipients, relayOne, { concurrency: RELAYED_AT_ONCE })
          }),
      }
    }),
  )
}
