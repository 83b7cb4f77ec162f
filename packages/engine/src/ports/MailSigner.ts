/** Signatures on mail that leaves (RFC 6376). */
import { Context, type Effect } from "effect"

export interface SigningKey {
  /** `d=`: who signs */
  readonly domain: string
  /** `s=`: where under `_domainkey` the public key is */
  readonly selector: string
  /** PKCS #8 in PEM */
  readonly privateKey: string
}

export class MailSigner extends Context.Tag("@mailroom/MailSigner")<
  MailSigner,
  {
    /** The same bytes with a DKIM-Signature in front. Works beside the event loop. */
    readonly sign: (raw: Uint8Array, key: SigningKey) => Effect.Effect<Uint8Array>
  }
>() {}
