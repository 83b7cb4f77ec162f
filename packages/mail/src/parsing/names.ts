/** Names that were encoded in ways that no standard knows, and that are common all the same. */
import { decodeBytes } from "./charsets.js"

/** Percent signs resolved; null when what they say is no UTF-8. */
export const unescaped = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** `charset'language'text` of RFC 2231 §4 in a parameter that does not say that it is so. */
const extended = /^([a-z0-9-]+)'[a-z-]*'((?:[^%]|%[0-9a-f]{2})*)$/i

/** A name as it is read; one that only happens to have percent signs stays as it is. */
export const plainName = (name: string): string => {
  const [, charset, encoded] = extended.exec(name) ?? []
  if (charset !== undefined && encoded !== undefined) {
    const bytes = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    return decodeBytes(Buffer.from(bytes, "latin1"), charset)
  }
  return /%[89a-f][0-9a-f]/i.test(name) ? (unescaped(name) ?? name) : name
}
