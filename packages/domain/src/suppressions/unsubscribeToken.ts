/**
 * The token of an unsubscribe link (RFC 8058): who unsubscribes from which mailbox, and a signature. It needs no stored
 * message, so a link works as long as the mailbox exists (docs/decisions/0069).
 */
import { Either, Encoding, Option, Schema } from "effect"
import { MailboxId } from "../ids.js"

export interface UnsubscribeTarget {
  readonly mailboxId: MailboxId
  /** normalized address */
  readonly recipient: string
}

/** The path of a link, in front of its token. */
export const UNSUBSCRIBE_PATH = "/u/"

/**
 * Characters of the longest token: a recipient of 64 characters beyond ASCII before the `@`, 254 in all
 * (`EmailAddress`), in base64, with a signature of 43 characters.
 */
export const UNSUBSCRIBE_TOKEN_MAX_LENGTH = 640

/** The signed text. */
export const unsubscribeText = ({ mailboxId, recipient }: UnsubscribeTarget): string =>
  `${mailboxId} ${recipient}`

/** `signature`: of `unsubscribeText`, in characters of base64url. */
export const unsubscribeToken = (target: UnsubscribeTarget, signature: string): string =>
  `${Encoding.encodeBase64Url(unsubscribeText(target))}.${signature}`

const mailboxIdOf = Schema.decodeOption(MailboxId)

/** Parses a token without checking its signature. */
export const readUnsubscribeToken = (
  token: string,
): Option.Option<UnsubscribeTarget & { readonly signature: string }> => {
  const [, encoded = "", signature = ""] = /^([\w-]+)\.([\w-]+)$/.exec(token) ?? []
  const text = Either.getOrElse(Encoding.decodeBase64UrlString(encoded), () => "")
  const [, id = "", recipient = ""] = /^(\S+) (\S+)$/.exec(text) ?? []
  return Option.map(mailboxIdOf(id), (mailboxId) => ({ mailboxId, recipient, signature }))
}
