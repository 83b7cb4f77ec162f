/** Hashes, signatures, sealed values, randomness and passwords. */
import { Context, type Effect } from "effect"

/**
 * Pure functions of the service's SECRET_KEY and their arguments, but for `seal`, which draws a nonce.
 * Comparisons are in constant time.
 */
export class Vault extends Context.Tag("@mailroom/Vault")<
  Vault,
  {
    /** SHA-256, lower-case hex: how keys and tokens are stored and looked up */
    readonly digest: (content: string | Uint8Array) => string
    /** HMAC-SHA256 under a key of the caller's */
    readonly hmac: (key: Uint8Array, data: string) => Uint8Array
    /** A signature under SECRET_KEY, base64url. `purpose` keeps a signature of one kind from serving as another. */
    readonly sign: (purpose: string, text: string) => string
    readonly verify: (purpose: string, text: string, signature: string) => boolean
    /** Encrypts for storage (authenticated, a fresh nonce each time). */
    readonly seal: (plaintext: string) => Effect.Effect<string>
    /** Dies when the text was not sealed under this SECRET_KEY: configuration, not input. */
    readonly open: (sealed: string) => Effect.Effect<string>
  }
>() {}

/** Randomness for secrets and ids; a test seeds it. */
export class Entropy extends Context.Tag("@mailroom/Entropy")<
  Entropy,
  { readonly bytes: (length: number) => Effect.Effect<Uint8Array> }
>() {}

/** Password hashes that carry their own parameters. */
export class Passwords extends Context.Tag("@mailroom/Passwords")<
  Passwords,
  {
    readonly hash: (password: string) => Effect.Effect<string>
    readonly verify: (hash: string, password: string) => Effect.Effect<boolean>
  }
>() {}
