/**
 * Replies: their recipients, their send body, and the In-Reply-To and References headers (spec: decisions.messages.reply,
 * decisions.messages.reply-all; RFC 5322 §3.6.2 to §3.6.4).
 */
import { Either } from "effect"
import { InvalidInput, NobodyToAnswer } from "../errors.js"
import { RECIPIENTS_MAX_COUNT, REFERENCES_MAX_LENGTH, THREADING_MAX_IDS } from "../limits.js"
import { addressIn, isEmailAddress, normalizeAddress, withoutTag } from "../mailboxes/address.js"
import type { MessageContent } from "../messages/Message.js"
import type { ReplyBody, SendBody } from "./send.js"
import { replySubject } from "../messages/subjects.js"

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

export interface ReplyRecipients {
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
const addresseesOf = ({ direction, replyTo, fromAddress, toAddresses }: Answered): ReadonlyArray<string> => {
  if (direction === "OUTBOUND") return usable(toAddresses)
  const requested = usable(replyTo)
  return requested.length > 0 ? requested : usable([fromAddress])
}

/**
 * The recipients of a reply, normalized, each once, without the mailbox itself (`own`, with any tag) unless no other is
 * left. Fails when the message has no usable Reply-To and no usable From.
 */
export const replyRecipients = (
  answered: Answered,
  own: string,
  audience: Audience,
): Either.Either<ReplyRecipients, NobodyToAnswer> => {
  const first = addresseesOf(answered)
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

const withinLimit = (path: "to" | "cc", addresses: ReadonlyArray<string>) => {
  if (addresses.length <= RECIPIENTS_MAX_COUNT) return Either.right(addresses)
  const message = `the answer would have ${addresses.length} recipients here; at most ${RECIPIENTS_MAX_COUNT} are allowed`
  return Either.left(new InvalidInput({ issues: [{ path, message }] }))
}

/** `own` is the address of the replying mailbox. The text is sent as given, without a quote: the thread has the answered mail. */
export const replyOf = (
  answered: Answered & Pick<MessageContent, "id" | "subject">,
  own: string,
  audience: Audience,
  body: ReplyBody,
): Either.Either<SendBody, NobodyToAnswer | InvalidInput> =>
  Either.gen(function* () {
    const computed = yield* replyRecipients(answered, own, audience)
    const added = (body.cc ?? []).map(addressIn)
    const to = yield* withinLimit("to", computed.to)
    const cc = yield* withinLimit("cc", without([...new Set([...computed.cc, ...added])], to))
    return { ...body, to, cc, subject: replySubject(answered.subject), inReplyTo: answered.id }
  })

export interface ReplyLinks {
  readonly inReplyTo: string | null
  /** its References, the oldest first */
  readonly references: ReadonlyArray<string>
}

export const noLinks: ReplyLinks = { inReplyTo: null, references: [] }

export const linksOfReply = (
  parent: Pick<MessageContent, "messageId" | "references" | "inReplyTo">,
): ReplyLinks => {
  const { messageId, references, inReplyTo } = parent
  const before = references.length > 0 ? references : inReplyTo === null ? [] : [inReplyTo]
  return {
    inReplyTo: messageId,
    references: shortened([...before.filter((id) => id !== messageId), messageId]),
  }
}

/** A reply to a mail that is unknown or gated: only its id is used (spec: decisions.threading.unknown). */
export const linksOfReplyToUnknown = (rfcId: string): ReplyLinks => ({
  inReplyTo: rfcId,
  references: [rfcId],
})

/** Shortens a long chain of References to its root and its newest ids, which keep the thread together. */
const shortened = ([root, ...later]: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (root === undefined) return []
  const newest: Array<string> = []
  let remaining = REFERENCES_MAX_LENGTH - root.length
  for (const id of later.toReversed().slice(0, THREADING_MAX_IDS - 1)) {
    remaining -= id.length + 1
    if (remaining < 0) break
    newest.push(id)
  }
  return [root, ...newest.reverse()]
}
