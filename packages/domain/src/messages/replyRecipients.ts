/** Recipients of a reply (spec: decisions.messages.reply, decisions.messages.reply-all; RFC 5322 §3.6.2, §3.6.3). */
import { Either } from "effect"
import { NobodyToAnswer } from "../errors.js"
import { isEmailAddress, normalizeAddress, withoutTag } from "../mailboxes/address.js"
import type { MessageContent } from "./Message.js"

/** The addresses of the answered message. */
export interface Answered extends Pick<
  MessageContent,
  "direction" | "fromAddress" | "toAddresses" | "ccAddresses"
> {
  /** all addresses of Reply-To; empty for a message that the mailbox sent */
  readonly replyTo: ReadonlyArray<string>
}

/** `sender`: the author; `everybody`: all addresses that the message names. */
export type Audience = "sender" | "everybody"

export interface AnswerRecipients {
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
}

/** The valid addresses, normalized, each once. */
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

/** A reply to a message that the mailbox sent goes to its recipients. */
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
 * The recipients of a reply, normalized, each once, without the mailbox itself (`own`, with any tag) unless no other is
 * left. Fails when the message has no usable Reply-To and no usable From.
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
