/** Signs the addresses that mail carries along when it leaves, and knows them again (decisions §6). */
import {
  domainOf,
  readReturnAddress,
  RETURN_SIGNATURE_LENGTH,
  type ReturnKind,
  returnLocalPart,
  type ReturnTarget,
  signedTarget,
} from "@mailroom/domain"
import { Context, Effect, Encoding, Either, Layer, Option } from "effect"
import { Vault } from "../ports/Crypto.js"

export class ReturnPaths extends Context.Tag("@mailroom/ReturnPaths")<
  ReturnPaths,
  {
    /**
     * The address of one recipient of a message, at the domain it is sent from: that is where SPF is looked up, and so
     * a return path proves the sender.
     */
    readonly of: (kind: ReturnKind, target: ReturnTarget, fromAddress: string) => string
    /** The message, and the recipient of it, that an address or a local part stands for; none when it is not signed. */
    readonly read: (kind: ReturnKind, text: string) => Option.Option<ReturnTarget>
  }
>() {
  static readonly layer = Layer.effect(
    ReturnPaths,
    Effect.map(Vault, (vault) => {
      const signatureOf = (kind: ReturnKind, target: ReturnTarget): string =>
        Either.match(Encoding.decodeBase64Url(vault.sign(`return ${kind}`, signedTarget(target))), {
          onLeft: () => "",
          onRight: (signature) => Encoding.encodeHex(signature).slice(0, RETURN_SIGNATURE_LENGTH),
        })
      // Digests are compared: how far two of them agree tells nothing about what they are made of.
      const isSame = (one: string, other: string) => vault.digest(one) === vault.digest(other)
      return {
        of: (kind, target, fromAddress) => {
          const signature = signatureOf(kind, target)
          return `${returnLocalPart({ ...target, kind, signature })}@${domainOf(fromAddress)}`
        },
        read: (kind, text) =>
          readReturnAddress(text).pipe(
            Option.filter(
              (claimed) => claimed.kind === kind && isSame(claimed.signature, signatureOf(kind, claimed)),
            ),
            Option.map(({ messageId, recipient }) => ({ messageId, recipient })),
          ),
      }
    }),
  )
}
