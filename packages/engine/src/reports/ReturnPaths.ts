/** Signs the addresses that mail carries along when it leaves, and knows them again (decisions §6). */
import {
  domainOf,
  type MessageId,
  readReturnAddress,
  RETURN_SIGNATURE_LENGTH,
  type ReturnKind,
  returnLocalPart,
} from "@mailroom/domain"
import { Context, Effect, Encoding, Either, Layer, Option } from "effect"
import { Vault } from "../ports/Crypto.js"

export class ReturnPaths extends Context.Tag("@mailroom/ReturnPaths")<
  ReturnPaths,
  {
    /**
     * An address of a message, at the domain it is sent from: that is where SPF is looked up, and so a return path
     * proves the sender.
     */
    readonly of: (kind: ReturnKind, messageId: MessageId, fromAddress: string) => string
    /** The message that an address, or a local part alone, belongs to; none when we never signed it. */
    readonly read: (kind: ReturnKind, text: string) => Option.Option<MessageId>
  }
>() {
  static readonly layer = Layer.effect(
    ReturnPaths,
    Effect.map(Vault, (vault) => {
      const signatureOf = (kind: ReturnKind, messageId: MessageId): string =>
        Either.match(Encoding.decodeBase64Url(vault.sign(`return ${kind}`, messageId)), {
          onLeft: () => "",
          onRight: (signature) => Encoding.encodeHex(signature).slice(0, RETURN_SIGNATURE_LENGTH),
        })
      // Digests are compared: how far two of them agree tells nothing about what they are made of.
      const isSame = (one: string, other: string) => vault.digest(one) === vault.digest(other)
      return {
        of: (kind, messageId, fromAddress) => {
          const signature = signatureOf(kind, messageId)
          return `${returnLocalPart({ kind, messageId, signature })}@${domainOf(fromAddress)}`
        },
        read: (kind, text) =>
          readReturnAddress(text).pipe(
            Option.filter(
              (claimed) =>
                claimed.kind === kind && isSame(claimed.signature, signatureOf(kind, claimed.messageId)),
            ),
            Option.map(({ messageId }) => messageId),
          ),
      }
    }),
  )
}
