/** Makes file names from outside safe to show, to store on any system and to put into a header. */
import { normalForm } from "../unicode.js"

/** Maximal length of a file name on common file systems, in bytes of UTF-8. */
const MAX_BYTES = 255
/** Maximal length of an extension, in bytes; a longer one counts as part of the name. */
const EXTENSION_MAX_BYTES = 32

/** Device names on Windows, reserved with any extension. */
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?=\.|$)/i

/** Control characters, line separators, and invisible characters that change how text is shown (bidi, zero width). */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const byteLength = (text: string): number => new TextEncoder().encode(text).length

/** The longest prefix of whole characters that fits. */
const cut = (text: string, maxBytes: number): string => {
  let [bytes, end] = [0, 0]
  for (const character of text) {
    bytes += byteLength(character)
    if (bytes > maxBytes) break
    end += character.length
  }
  return text.slice(0, end)
}

/** Outer dots and spaces: a leading dot hides a file on Unix, a trailing one is lost on Windows. */
const withoutOuterDots = (name: string): string => {
  let [start, end] = [0, name.length]
  while (start < end && /[.\s]/.test(name.charAt(start))) start++
  while (end > start && /[.\s]/.test(name.charAt(end - 1))) end--
  return name.slice(start, end)
}

/**
 * A base name in NFC: no folder, nothing invisible, no half of a surrogate pair, no character or name that Windows
 * reserves, no outer dot or space; at most 255 bytes, and a cut keeps the extension. `fallback` when nothing is left.
 */
export const safeFilename = (name: string | null | undefined, fallback: string): string => {
  const visible = (name ?? "").replace(/\p{Surrogate}/gu, "\ufffd").replace(invisible, "")
  const base = withoutOuterDots(
    normalForm(
      visible.slice(Math.max(visible.lastIndexOf("/"), visible.lastIndexOf("\\")) + 1),
      "NFC",
    ).replace(/[<>:"|?*]/g, "_"),
  )
  if (base === "") return fallback
  const allowed = reserved.test(base) ? `_${base}` : base
  if (byteLength(allowed) <= MAX_BYTES) return allowed
  const dot = allowed.lastIndexOf(".")
  const extension = dot > 0 && byteLength(allowed.slice(dot)) <= EXTENSION_MAX_BYTES ? allowed.slice(dot) : ""
  const stem = cut(extension === "" ? allowed : allowed.slice(0, dot), MAX_BYTES - byteLength(extension))
  return withoutOuterDots(stem) + extension
}
