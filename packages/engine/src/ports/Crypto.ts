/** Hashes, signatures, sealed values, randomness and passwords. */
import { Context, type Effect } from "effect"

/**
 * Keyed by the service's SECRET_KEY. All methods but `seal`, which uses a random nonce, always return the same result for
 * the same arguments. `verify` compares in constant time.
 */
export class Vault extends Context.Tag("@mailroom/Vault")<
  Vault,
  {
    /** SHA-256 as lower-case hex. Keys and tokens are stored and looked up by it. */
    readonly digest: (content: string | Uint8Array) => string
    /** HMAC-SHA256 of `data` under `key`, which the caller provides */
    readonly hmac: (key: Uint8Array, data: string) => Uint8Array
    /** A signature under SECRET_KEY as base64url. A signature for one `purpose` is invalid for every other. */
    readonly sign: (purpose: string, text: string) => string
    /** Whether `signature` is that of `sign` for the same purpose and text. */
    readonly verify: (purpose: string, text: string, signature: string) => boolean
    /** Encrypts text for storage, authenticated, with a new nonce in every call. */
    readonly seal: (plaintext: string) => Effect.Effect<string>
    /** Decrypts sealed text. Dies when it was not sealed under this SECRET_KEY, which is an error of configuration. */
    readonly open: (sealed: string) => Effect.Effect<string>
  }
>() {}

/** Random bytes for secrets and ids. Tests use a seeded implementation. */
export class Entropy extends Context.Tag("@mailroom/Entropy")<
  Entropy,
  { readonly bytes: (length: number) => Effect.Effect<Uint8Array> }
>() {}

/** Password hashes, which include their parameters, so that `verify` accepts hashes made with others. */
export class Passwords extends Context.Tag("@mailroom/Passwords")<
  Passwords,
  {
    readonly hash: (password: string) => Effect.Effect<string>
    readonly verify: (hash: string, password: string) => Effect.Effect<boolean>
  }
>() {}
