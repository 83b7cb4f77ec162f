/** Digests, signatures and encrypted values with node:crypto. */
import { Entropy, Vault } from "@mailroom/engine"
import { Data, Effect, Layer, Redacted } from "effect"
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from "node:crypto"

/** A stored value cannot be decrypted: it was sealed under another secret key, or was changed. */
export class SecretKeyDoesNotFit extends Data.TaggedError("SecretKeyDoesNotFit")<{
  readonly message: string
}> {}

const doesNotFit = () =>
  new SecretKeyDoesNotFit({
    message:
      "The secret key does not fit: a stored secret was sealed under another one, or was changed since. " +
      "Start with the one that this database was made with: SECRET_KEY, or the file secret.key beside the database.",
  })

const CIPHER = "aes-256-gcm"
const NONCE_LENGTH = 12
const TAG_LENGTH = 16
const VERSION = "v1."

/** Derives a key for one use, so that a signature can never pass as a sealed value or the reverse. */
const derive = (secretKey: Redacted.Redacted, use: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync("sha256", Redacted.value(secretKey), "mailroom", use, 32)))

const seal = (key: KeyObject, nonce: Uint8Array, plaintext: string): string => {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH })
  cipher.setAAD(Buffer.from(VERSION))
  const parts = [nonce, cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()]
  return VERSION + Buffer.concat(parts).toString("base64url")
}

const open = (key: KeyObject, sealed: string): string => {
  if (!sealed.startsWith(VERSION)) throw new Error("unknown version")
  const bytes = Buffer.from(sealed.slice(VERSION.length), "base64url")
  if (bytes.length < NONCE_LENGTH + TAG_LENGTH) throw new Error("too short")
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_LENGTH), {
    authTagLength: TAG_LENGTH,
  })
  decipher.setAAD(Buffer.from(VERSION))
  decipher.setAuthTag(bytes.subarray(-TAG_LENGTH))
  const plaintext = decipher.update(bytes.subarray(NONCE_LENGTH, -TAG_LENGTH))
  return Buffer.concat([plaintext, decipher.final()]).toString("utf8")
}

const equal = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

export const NodeVault = {
  /**
   * Keys are derived from SECRET_KEY with HKDF-SHA256, one to sign (HMAC-SHA256) and one to seal (AES-256-GCM).
   * A sealed value is `v1.` and base64url of nonce, ciphertext and tag; `open` dies with `SecretKeyDoesNotFit`.
   */
  layer: (secretKey: Redacted.Redacted): Layer.Layer<Vault, never, Entropy> =>
    Layer.effect(
      Vault,
      Effect.map(Entropy, (entropy) => {
        const signingKey = derive(secretKey, "sign")
        const sealingKey = derive(secretKey, "seal")

        // The length prefix gives ("a", "bc") and ("ab", "c") different signatures.
        const sign = (purpose: string, text: string): string =>
          createHmac("sha256", signingKey)
            .update(`${purpose.length}:${purpose}:`)
            .update(text)
            .digest("base64url")

        return Vault.of({
          digest: (content) => createHash("sha256").update(content).digest("hex"),
          hmac: (key, data) => createHmac("sha256", key).update(data).digest(),
          sign,
          verify: (purpose, text, signature) => equal(sign(purpose, text), signature),
          seal: (plaintext) =>
            Effect.map(entropy.bytes(NONCE_LENGTH), (nonce) => seal(sealingKey, nonce, plaintext)),
          open: (sealed) =>
            Effect.try({ try: () => open(sealingKey, sealed), catch: doesNotFit }).pipe(Effect.orDie),
        })
      }),
    ),
}
