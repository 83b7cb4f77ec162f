/** Whom an answer goes to (decisions §4; RFC 5322 §3.6.3, §3.6.2). */
import { Either } from "effect"
import { NobodyToAnswer } from "../errors.js"
import { isEmailAddress, normalizeAddress, withoutTag } from "../mailboxes/address.js"
import type { MessageContent } from "./Message.js"

/** The addresses of the message that is answered. */
export interface Answered extends Pick<
  MessageContent,
  "direction" | "fromAddress" | "toAddresses" | "ccAddresses"
> {
  /** all it asks to be answered to; none for one of our own */
  readonly replyTo: ReadonlyArray<string>
}

/** Who wrote it, or everybody it names. */
export type Audience = "sender" | "everybody"

export interface AnswerRecipients {
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
}

/** Those that mail can be sent to, normalized, once each. */
const usable = (addresses: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(addresses.map(normalizeAddress).filter((address) => isEmailAddress(address))),
]

/** `addresses` without those in `others`. */
export const without = (
  addresses: ReadonlyArray<string>,
  others: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const left = new Set(others)
  return addresses.filter((address) => !left.has(address))
}

/** An answer to a mail of our own goes to those whom we wrote to. */
const correspondents = ({
  direction,
  replyTo,
  fromAddress,
  toAddresses,
}: Answered): ReadonlyArray<string> => {
  if (direction === "OUTBOUND") return usable(toAddresses)
  const asked = usable(replyTo)
  return asked.length > 0 ? asked : usable([fromAddress])
}

/**
 * Normalized, once each, and without the mailbox itself (`own`, whatever tag it is written with), unless nobody else
 * is left. Fails when the message says neither whom to answer nor whom it is from.
 */
export const answerRecipients = (
  answered: Answered,
  own: string,
  audience: Audience,
): Either.Either<AnswerRecipients, NobodyToAnswer> => {
  const first = correspondents(answered)
  if (first.length === 0) return Either.left(new NobodyToAnswer())
  const self = normalizeAddress(own)
  const others = (addresses: ReadonlyArray<string>) =>
    usable(addresses).filter((address) => withoutTag(address) !== self)
  const everybody = audience === "everybody"
  const to = others(everybody ? [...first, ...answered.toAddresses] : first)
  const cc = everybody ? without(others(answered.ccAddresses), to) : []
  if (to.length > 0) return Either.right({ to, cc })
  return Either.right({ to: cc.length > 0 ? cc : [self], cc: [] })
}
