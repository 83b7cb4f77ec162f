/** Where mail goes: what is for the platform's own mailboxes stays inside, the rest leaves (decisions §5). */
import { domainOf, onPlatform, RelayRefused, RelayUnavailable, type RelayUncertain } from "@mailroom/domain"
import { Array, Context, Effect, Layer } from "effect"
import { type OutboundEnvelope, OutboundMail } from "../ports/OutboundMail.js"
import { Reception } from "../ports/Reception.js"
import { Settings } from "../ports/Settings.js"
import { DomainStore } from "../ports/stores/DomainStore.js"

export interface Routed {
  /** accepted recipients on the platform: to be put into the delivery queue with the sender's own transaction */
  readonly inside: ReadonlyArray<string>
  /** recipients for the relay */
  readonly outside: ReadonlyArray<string>
}

export class MailRouter extends Context.Tag("@mailroom/MailRouter")<
  MailRouter,
  {
    /** Judges the recipients inside as SMTP would: unknown ones are refused, those not provisioned yet must wait. */
    readonly route: (
      recipients: ReadonlyArray<string>,
    ) => Effect.Effect<Routed, RelayRefused | RelayUnavailable>
    /** Hands the mail to the relay for the recipients outside, if there are any. */
    readonly relay: (
      envelope: Omit<OutboundEnvelope, "to">,
      routed: Routed,
      raw: Uint8Array,
    ) => Effect.Effect<void, RelayRefused | RelayUnavailable | RelayUncertain>
  }
>() {
  static readonly layer = Layer.effect(
    MailRouter,
    Effect.gen(function* () {
      const domains = yield* DomainStore
      const outbound = yield* OutboundMail
      const reception = yield* Reception
      const { platformDomain } = yield* Settings
      return {
        route: Effect.fnUntraced(function* (recipients) {
          const judged = yield* reception.recipients(recipients)
          const verdicts = Array.zipWith(recipients, judged, (address, { kind }) => ({ address, kind }))
          const custom = verdicts
            .filter(({ kind, address }) => kind !== "unknown" && !onPlatform(address, platformDomain))
            .map(({ address }) => domainOf(address))
          // Where mail goes for a domain whose owner does not point it here any more is for its MX to say.
          const verified = new Set(custom.length === 0 ? [] : yield* domains.verifiedAmong(custom))
          // A custom domain of ours may have mailboxes elsewhere too: only the platform domain is ours alone.
          const isInside = ({ kind, address }: (typeof verdicts)[number]) =>
            onPlatform(address, platformDomain) || (kind !== "unknown" && verified.has(domainOf(address)))
          const inside = verdicts.filter(isInside)
          const refused = inside.filter(({ kind }) => kind === "unknown" || kind === "suspended")
          if (refused.length > 0)
            return yield* new RelayRefused({
              answer: "no such mailbox, or it takes no mail",
              recipients: refused.map(({ address }) => address),
            })
          const waiting = inside.find(({ kind }) => kind === "not provisioned")
          if (waiting !== undefined)
            return yield* new RelayUnavailable({ reason: `${waiting.address} is not provisioned yet` })
          return {
            inside: inside.map(({ address }) => address),
            outside: verdicts.filter((one) => !isInside(one)).map(({ address }) => address),
          }
        }),
        relay: (envelope, { outside }, raw) =>
          outside.length === 0
            ? Effect.void
            : Effect.asVoid(outbound.send({ ...envelope, to: outside }, raw)),
      }
    }),
  )
}
