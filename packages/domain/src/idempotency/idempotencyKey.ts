/** Idempotency keys: their format, and when two bodies under one key count as the same (docs/specification/service.md). */
import { Predicate } from "effect"

/** The format of an `Idempotency-Key` (spec: decisions.idempotency.key). */
export const IDEMPOTENCY_KEY = /^[A-Za-z0-9._~-]{1,256}$/

/**
 * Canonical JSON text: fields are sorted, undefined fields are absent, and bytes are replaced by their digest because
 * there may be many.
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
