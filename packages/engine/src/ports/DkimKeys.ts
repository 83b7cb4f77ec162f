/** Key pairs that custom domains sign their mail with (RFC 6376). */
import { Context, type Effect } from "effect"

export interface DkimKeyPair {
  /** SubjectPublicKeyInfo in base64: what the `p=` of a key record carries */
  readonly publicKey: string
  /** PKCS #8 in PEM */
  readonly privateKey: string
}

export class DkimKeys extends Context.Tag("@mailroom/DkimKeys")<
  DkimKeys,
  {
    /**
     * A new RSA pair, another one each time: who publishes the key that one claim got proves that very claim. Takes
     * tenths of a second, beside the event loop.
     */
    readonly generate: Effect.Effect<DkimKeyPair>
  }
>() {}
