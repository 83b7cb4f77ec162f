/** File names that came from outside, made safe to show, to store on any system and to put into a header. */

/** What file systems allow for a name, in bytes of UTF-8. */
const MAX_BYTES = 255
/** An extension beyond this is part of the name, and may be cut with it. */
const EXTENSION_MAX_BYTES = 32

/** Devices on Windows, with any extension. */
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?=\.|$)/i

/** Control characters, separators of lines, and all that is not seen but changes how the rest is: bidi, zero width. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const byteLength = (text: string): number => new TextEncoder().encode(text).length

/** The longest beginning that fits, whole characters only. */
const cut = (text: string, maxBytes: number): string => {
  let [bytes, end] = [0, 0]
  for (const character of text) {
    bytes += byteLength(character)
    if (bytes > maxBytes) break
    end += character.length
  }
  return text.slice(0, end)
}

/** Hidden on Unix, lost on Windows. */
const withoutOuterDots = (name: string): string => {
  let [start, end] = [0, name.length]
  while (start < end && /[.\s]/.test(name.charAt(start))) start++
  while (end > start && /[.\s]/.test(name.charAt(end - 1))) end--
  return name.slice(start, end)
}

/**
 * A base name in NFC: no folder, nothing invisible, no half of a surrogate pair, no character or name that Windows
 * reserves, no dot or space around it; at most 255 bytes, of which a cut leaves the extension; `fallback` when nothing
 * is left.
 */
export const safeFilename = (name: string | null | undefined, fallback: string): string => {
  const visible = (name ?? "").replace(/\p{Surrogate}/gu, "\ufffd").replace(invisible, "")
  const base = withoutOuterDots(
    visible
      .slice(Math.max(visible.lastIndexOf("/"), visible.lastIndexOf("\\")) + 1)
      .normalize("NFC")
      .replace(/[<>:"|?*]/g, "_"),
  )
  if (base === "") return fallback
  const allowed = reserved.test(base) ? `_${base}` : base
  if (byteLength(allowed) <= MAX_BYTES) return allowed
  const dot = allowed.lastIndexOf(".")
  const extension = dot > 0 && byteLength(allowed.slice(dot)) <= EXTENSION_MAX_BYTES ? allowed.slice(dot) : ""
  const stem = cut(extension === "" ? allowed : allowed.slice(0, dot), MAX_BYTES - byteLength(extension))
  return withoutOuterDots(stem) + extension
}
