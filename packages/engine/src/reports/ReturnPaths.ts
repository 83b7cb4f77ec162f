/**
 * Makes and verifies the signed addresses of sent mail: return paths and List-Unsubscribe
 * (`spec: decisions.reports.return-path`).
 */
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
     * The signed address for one recipient of a message, at the domain of `fromAddress`: receivers check SPF for the domain
     * of the return path, so it has to be the sender's.
     */
    readonly of: (kind: ReturnKind, target: ReturnTarget, fromAddress: string) => string
    /** The message and recipient of a signed address or local part; none when the signature is wrong. */
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
      // Compares digests, so that the time it takes does not disclose how much of a signature is right.
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
