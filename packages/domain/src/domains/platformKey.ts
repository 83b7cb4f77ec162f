/** DKIM keys of the platform domain (RFC 6376; docs/decisions/0033). */
import { Schema } from "effect"
import { Instant } from "../time.js"

/** `CURRENT` signs; `NEXT` signs once its record is published. There is at most one of each. */
export const PlatformKeyRole = Schema.Literal("CURRENT", "NEXT")
export type PlatformKeyRole = typeof PlatformKeyRole.Type

export const PlatformKeyRecord = Schema.Struct({
  selector: Schema.String,
  role: PlatformKeyRole,
  /** SubjectPublicKeyInfo in base64 */
  publicKey: Schema.String,
  /** encrypted PKCS #8, in PEM */
  sealedKey: Schema.String,
  createdAt: Instant,
})
export type PlatformKeyRecord = typeof PlatformKeyRecord.Type
