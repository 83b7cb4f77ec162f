/** Idempotency keys (decisions §4): what one looks like, and when two bodies under one key are the same. */
import { Predicate } from "effect"

/** What a client may send as `Idempotency-Key`. */
export const IDEMPOTENCY_KEY = /^[A-Za-z0-9._~-]{1,256}$/

/**
 * JSON text in which neither the order of fields nor space matters, and a field that is undefined is not there.
 * Bytes stand in it by their digest: they may be many.
 */
export const canonicalJson = (value: unknown, digest: (bytes: Uint8Array) => string): string => {
  const canonical = (part: unknown): string => {
    if (part instanceof Uint8Array) return canonical({ bytes: digest(part) })
    if (Array.isArray(part)) return `[${part.map(canonical).join(",")}]`
    if (!Predicate.isRecord(part)) return JSON.stringify(part ?? null)
    const fields = Object.entries(part)
      .filter(([, inner]) => inner !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(",")}}`
  }
  return canonical(value)
}
