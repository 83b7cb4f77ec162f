/** Generates the DKIM key pairs of custom domains (RFC 6376). */
import { Context, type Effect } from "effect"

export interface DkimKeyPair {
  /** SubjectPublicKeyInfo as base64: the `p=` of a key record */
  readonly publicKey: string
  /** PKCS #8 in PEM */
  readonly privateKey: string
}

export class DkimKeys extends Context.Tag("@mailroom/DkimKeys")<
  DkimKeys,
  {
    /**
     * A new RSA key pair in every call: publishing the key of a claim has to prove that claim and no other. Takes tenths
     * of a second, off the event loop.
     */
    readonly generate: Effect.Effect<DkimKeyPair>
  }
>() {}
