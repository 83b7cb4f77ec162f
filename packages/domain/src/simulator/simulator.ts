/**
 * The simulator: addresses that react as real recipients do, without leaving the service (docs/specification/bulk.md;
 * docs/decisions/0069). `{behaviour}@simulator.{platform domain}`, with or without a tag.
 */
import { Option, Schema } from "effect"
import { domainOf, isAscii, mailboxAddress } from "../mailboxes/address.js"
import { SECOND } from "../durations.js"

/**
 * `delivered`: takes the mail. `bounced`: does not exist. `soft-bounced`: its mailbox is full. `complained`: reports the
 * mail as spam. `auto-reply`: answers automatically. `delayed`: takes the mail after a delay. `never`: nothing is heard
 * of the mail.
 */
export const SimulatorBehaviour = Schema.Literal(
  "delivered",
  "bounced",
  "soft-bounced",
  "complained",
  "auto-reply",
  "delayed",
  "never",
)
export type SimulatorBehaviour = typeof SimulatorBehaviour.Type

/** Milliseconds from the report of a delay to that of the delivery. */
export const SIMULATED_DELAY = 10 * SECOND

export const simulatorDomain = (platformDomain: string): string => `simulator.${platformDomain}`

const behaviourOf = Schema.decodeUnknownOption(SimulatorBehaviour)

/** The behaviour of an address; null for an address that is not one of the simulator. A tag is ASCII. */
export const simulatorBehaviour = (recipient: string, platformDomain: string): SimulatorBehaviour | null => {
  const address = mailboxAddress(recipient)
  if (!isAscii(recipient) || domainOf(address) !== simulatorDomain(platformDomain)) return null
  return Option.getOrNull(behaviourOf(address.slice(0, address.lastIndexOf("@"))))
}

export const isSimulated = (recipient: string, platformDomain: string): boolean =>
  simulatorBehaviour(recipient, platformDomain) !== null

/** What another mail server reports of a mail. */
export type SimulatedReport = "delivered" | "bounced" | "soft-bounced" | "delayed" | "complained"

/** One reaction to a mail: a report, or an answer of the recipient. */
export interface SimulatedReaction {
  readonly kind: SimulatedReport | "auto-reply"
  /** milliseconds after the mail was sent */
  readonly after: number
}

const atOnce = (...kinds: ReadonlyArray<SimulatedReaction["kind"]>): ReadonlyArray<SimulatedReaction> =>
  kinds.map((kind) => ({ kind, after: 0 }))

/**
 * The reactions of an address to a mail, in their order. `automated`: the mail says that a machine wrote it; nobody answers
 * such a mail automatically (RFC 3834 §2).
 */
export const simulatedReactions = (
  behaviour: SimulatorBehaviour,
  automated: boolean,
): ReadonlyArray<SimulatedReaction> => {
  switch (behaviour) {
    case "delivered":
    case "bounced":
    case "soft-bounced":
      return atOnce(behaviour)
    case "complained":
      return atOnce("delivered", "complained")
    case "auto-reply":
      return automated ? atOnce("delivered") : atOnce("delivered", "auto-reply")
    case "delayed":
      return [...atOnce("delayed"), { kind: "delivered", after: SIMULATED_DELAY }]
    case "never":
      return []
  }
}
