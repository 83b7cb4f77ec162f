/**
 * Routes outgoing mail: to mailboxes of this service directly, to other recipients through the relay
 * (`spec: decisions.inside.delivered`). Mail to the simulator goes nowhere (`spec: simulator.relay`).
 */
import {
  domainOf,
  isSimulated,
  mailboxAddress,
  onPlatform,
  RelayRefused,
  type RelayFailure,
  RelayUnavailable,
  RELAYED_WITHIN,
  RELAYING_ENDS_WITHIN,
  type RelayedRecipient,
  SimulatorBehaviour,
  simulatorDomain,
} from "@mailroom/domain"
import { Array, Clock, Context, Effect, Either, Layer } from "effect"
import { type OutboundEnvelope, OutboundMail } from "../ports/OutboundMail.js"
import { SenderScreening } from "../inbound/SenderScreening.js"
import { hasMailbox, judgeRecipients } from "../inbound/spool.js"
import { RoleAddresses } from "../inbound/RoleAddresses.js"
import { explain, type LogFields, logLine } from "../mailLog.js"
import { Metrics, type RelayOutcome } from "../metrics.js"
import { Settings } from "../ports/Settings.js"
import { DomainStore } from "../ports/stores/DomainStore.js"
import { MailboxStore, type RecipientFacts } from "../ports/stores/MailboxStore.js"
import { BounceProcessor } from "../reports/BounceProcessor.js"

/**
 * Relay transactions of one message at a time. Fewer than the relay's connections (5 by default), so that other
 * messages get one too.
 */
const RELAYED_AT_ONCE = 3

/** A failure to compose or sign the mail of one recipient counts as `RelayUnavailable` for that recipient alone. */
const orUnavailable = <A>(mail: Effect.Effect<A>): Effect.Effect<A, RelayUnavailable> =>
  Effect.catchAllCause(mail, (cause) =>
    Effect.zipRight(
      Effect.logError("A mail could not be composed or signed", cause),
      new RelayUnavailable({ reason: "the mail could not be made", recipientOnly: true }),
    ),
  )

const tookTooLong = new RelayUnavailable({
  reason: "not tried, because the relay took too long for the recipients before this one",
})

/** The reply of the relay, or the reason why there was none. */
const answerOf = (result: Either.Either<{ readonly answer: string }, RelayFailure>): string => {
  if (Either.isRight(result)) return result.right.answer
  return result.left._tag === "RelayRefused" ? result.left.answer : result.left.reason
}

const outcomes = {
  RelayRefused: "refused",
  RelayUnavailable: "unavailable",
  RelayUncertain: "uncertain",
} satisfies Record<RelayFailure["_tag"], RelayOutcome>

/** Logs and counts one relay transaction. An unavailable relay is a warning. */
const recordAnswer = (
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
  /** recipients in this service, to be enqueued for delivery in the transaction that marks the message sent */
  readonly inside: ReadonlyArray<string>
  /** recipients of the simulator, whose mail reaches nobody */
  readonly simulated: ReadonlyArray<string>
  /** recipients to be relayed */
  readonly outside: ReadonlyArray<string>
}

export class MailRouter extends Context.Tag("@mailroom/MailRouter")<
  MailRouter,
  {
    /**
     * Splits the recipients into inside, simulated and outside, and checks those inside by the rules of SMTP's RCPT
     * TO. The errors are those of the relay. But one refused recipient inside refuses the whole send, before anything is relayed; of
     * several outside, the refused ones bounce. It fails with
     * `RelayRefused` for an unknown or suspended mailbox, and for one that refuses the sender; `RelayUnavailable` for
     * one that is not provisioned, and for a role address that takes no more mail in this hour. `from`: the envelope
     * sender, empty for mail of the service. `inside`: the mailboxes among the recipients; omitted: they are looked up.
     */
    readonly route: (
      from: string,
      recipients: ReadonlyArray<string>,
      inside?: ReadonlyArray<RecipientFacts>,
    ) => Effect.Effect<Routed, RelayRefused | RelayUnavailable>
    /**
     * Relays a mail to each recipient in a transaction of its own, because each has its own return path; three at a time
     * (docs/decisions/0042). Returns the results in the order of the recipients. After a `RelayUnavailable` that is not about
     * one recipient, and after `RELAYED_WITHIN`, the remaining ones fail without a transaction. `about`: further fields of the log
     * lines. `within`: milliseconds until all transactions have ended.
     */
    readonly relay: (
      recipients: ReadonlyArray<string>,
      mailFor: (recipient: string) => Effect.Effect<OutgoingMail>,
      about: LogFields,
      within?: number,
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
      const screening = yield* SenderScreening
      const { platformDomain } = yield* Settings
      return {
        route: Effect.fnUntraced(function* (from, recipients, known) {
          const inside = known ?? (yield* mailboxes.recipients(recipients.map(mailboxAddress)))
          // An account of an earlier version may have the simulator's subdomain: its mailboxes stay.
          const isOwned = hasMailbox(inside)
          const [real, simulated] = Array.partition(
            recipients,
            (address) => isSimulated(address, platformDomain) && !isOwned(mailboxAddress(address)),
          )
          // Only on the platform domain: mail for role addresses of custom domains comes by their MX.
          const platform = real.filter((address) => onPlatform(address, platformDomain))
          const judgedRoles = yield* roles.judge(platform, isOwned)
          const requests = real.map((to) => ({ from, to }))
          const blocked = yield* screening.refused(requests, inside)
          const judged = judgeRecipients(requests, inside, returned.isReportAddress, judgedRoles, blocked)
          const verdicts = Array.zipWith(real, judged, (address, { kind }) => ({ address, kind }))
          const custom = verdicts
            .filter(({ kind, address }) => kind !== "unknown" && !onPlatform(address, platformDomain))
            .map(({ address }) => domainOf(address))
          // A domain that is not VERIFIED any more may have its MX elsewhere, so its mail is relayed.
          const verified = new Set(custom.length === 0 ? [] : yield* domains.verifiedAmong(custom))
          // A custom domain may have further mailboxes elsewhere, so unknown ones are relayed; the platform domain has
          // none.
          const isInside = ({ kind, address }: (typeof verdicts)[number]) =>
            onPlatform(address, platformDomain) || (kind !== "unknown" && verified.has(domainOf(address)))
          const ours = verdicts.filter(isInside)
          const refused = ours.filter(
            ({ kind }) => kind === "unknown" || kind === "suspended" || kind === "blocked",
          )
          if (refused.length > 0)
            return yield* new RelayRefused({
              answer: refused.every(({ kind }) => kind === "blocked")
                ? "the mailbox does not accept mail from this sender"
                : refused.every(({ address }) => domainOf(address) === simulatorDomain(platformDomain))
                  ? `the simulator has no such address, only ${SimulatorBehaviour.literals.join(", ")}`
                  : "no such mailbox, or it takes no mail",
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
            simulated,
            outside: verdicts.filter((one) => !isInside(one)).map(({ address }) => address),
          }
          yield* explain("mail routed", () => ({
            inside: routed.inside,
            simulator: routed.simulated,
            relay: routed.outside,
          }))
          return routed
        }),
        relay: (recipients, mailFor, about, within = RELAYING_ENDS_WITHIN) =>
          Effect.gen(function* () {
            const begunAt = yield* Clock.currentTimeMillis
            let unavailable: RelayUnavailable | null = null
            const relayOne = Effect.fnUntraced(function* (recipient: string) {
              const startedAt = yield* Clock.currentTimeMillis
              if (startedAt >= begunAt + RELAYED_WITHIN) unavailable ??= tookTooLong
              if (unavailable !== null) return { recipient, failure: unavailable } satisfies RelayedRecipient
              const result = yield* Effect.flatMap(orUnavailable(mailFor(recipient)), ({ envelope, raw }) =>
                outbound.send({ ...envelope, to: [recipient] }, raw, begunAt + within - startedAt),
              ).pipe(Effect.either)
              yield* recordAnswer(about, recipient, result, (yield* Clock.currentTimeMillis) - startedAt)
              const failure = Either.isLeft(result) ? result.left : null
              if (failure?._tag === "RelayUnavailable" && failure.recipientOnly !== true)
                unavailable = failure
              return { recipient, failure } satisfies RelayedRecipient
            })
            return yield* Effect.forEach(recipients, relayOne, { concurrency: RELAYED_AT_ONCE })
          }),
      }
    }),
  )
}
