/** Signs outgoing mail with DKIM (RFC 6376). */
import { Context, type Effect } from "effect"

export interface SigningKey {
  /** `d=`: the signing domain */
  readonly domain: string
  /** `s=`: name of the key record under `_domainkey` */
  readonly selector: string
  /** PKCS #8 in PEM */
  readonly privateKey: string
}

export class MailSigner extends Context.Tag("@mailroom/MailSigner")<
  MailSigner,
  {
    /** The same bytes after a new DKIM-Signature field. Runs off the event loop. */
    readonly sign: (raw: Uint8Array, key: SigningKey) => Effect.Effect<Uint8Array>
  }
>() {}
