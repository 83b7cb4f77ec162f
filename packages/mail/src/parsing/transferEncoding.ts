/** Content-Transfer-Encoding undone, byte for byte where it is well formed and as far as it goes where not. */

/** More than anyone puts together. */
const CONTENTS_MAX = 1000

/**
 * Whatever is not of the alphabet is ignored (RFC 2045 §6.8); where there was any, what is left over at the end and
 * not padded makes no byte.
 */
const fromAlphabet = (text: string, isPadded: boolean): Buffer => {
  const clean = text.replace(/[^A-Za-z0-9+/]+/g, "")
  const isCut = !isPadded && /[^A-Za-z0-9+/\s]/.test(text)
  return Buffer.from(isCut ? clean.slice(0, clean.length - (clean.length % 4)) : clean, "base64")
}

/**
 * Padding ends the content, unless base64 and nothing else follows: then two contents were put together; a footer of
 * a mailing list is none.
 */
const fromBase64 = (content: Buffer): Buffer => {
  const text = content.toString("latin1")
  const padding = text.indexOf("=")
  if (padding === -1) return fromAlphabet(text, false)
  const rest = text.slice(padding).replace(/^[=\s]+/, "")
  const first = fromAlphabet(text.slice(0, padding), true)
  if (rest === "" || /[^A-Za-z0-9+/=\s]/.test(rest)) return first
  const others = rest.split(/=[=\s]*/, CONTENTS_MAX)
  return Buffer.concat([first, ...others.map((other) => fromAlphabet(other, true))])
}

const hexOf = (byte: number | undefined): number => {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09

/** White space at the end of a line was added on the way; an equals sign that begins no byte is one (RFC 2045 §6.7). */
const fromQuotedPrintable = (content: Buffer): Buffer => {
  const out = Buffer.allocUnsafe(content.length)
  let length = 0
  for (let at = 0; at < content.length;) {
    const feed = content.indexOf(0x0a, at)
    const next = feed === -1 ? content.length : feed + 1
    const lineEnd = feed === -1 ? next : feed > at && content[feed - 1] === 0x0d ? feed - 1 : feed
    let end = lineEnd
    while (end > at && isBlank(content[end - 1])) end--
    const isSoft = end > at && content[end - 1] === 0x3d
    if (isSoft) end--
    for (let from = at; from < end; from++) {
      const [high, low] =
        content[from] === 0x3d ? [hexOf(content[from + 1]), hexOf(content[from + 2])] : [-1, -1]
      const isByte = from + 2 < end && high >= 0 && low >= 0
      out[length++] = isByte ? high * 16 + low : (content[from] ?? 0)
      if (isByte) from += 2
    }
    if (!isSoft) length += content.copy(out, length, lineEnd, next)
    at = next
  }
  return out.subarray(0, length)
}

/** Where the line after `begin` starts; -1 when there is none. */
const afterBegin = (content: Buffer): number => {
  for (let at = 0; at !== -1 && at < content.length;) {
    const feed = content.indexOf(0x0a, at)
    if (/^begin [0-7]{3,4} /.test(content.toString("latin1", at, at + 12))) return feed === -1 ? -1 : feed + 1
    at = feed === -1 ? -1 : feed + 1
  }
  return -1
}

/**
 * Lines of up to 45 bytes, each with its count in front, from `begin` to the line of none; content without a `begin`
 * stays as it is.
 */
const fromUuencode = (content: Buffer): Buffer => {
  const begin = afterBegin(content)
  if (begin === -1) return content
  const out = Buffer.alloc(content.length)
  const six = (at: number): number => ((content[at] ?? 32) - 32) & 63
  let length = 0
  for (let at = begin; at < content.length;) {
    const feed = content.indexOf(0x0a, at)
    const end = feed === -1 ? content.length : feed
    const count = Math.min(six(at), Math.floor(((end - at) * 3) / 4))
    if (count === 0) break
    for (let byte = 0; byte < count; byte++) {
      const from = at + 1 + Math.floor(byte / 3) * 4 + (byte % 3)
      const shift = (byte % 3) * 2
      out[length + byte] = (six(from) << (2 + shift)) | (six(from + 1) >> (4 - shift))
    }
    length += count
    at = end + 1
  }
  return out.subarray(0, length)
}

/** `field` is the value of Content-Transfer-Encoding; one that is unknown leaves the content as it is. */
export const decodeTransfer = (content: Buffer, field: string): Buffer => {
  const [encoding = ""] = /[a-z0-9-]+/.exec(field.toLowerCase()) ?? []
  switch (encoding) {
    case "base64":
      return fromBase64(content)
    case "quoted-printable":
      return fromQuotedPrintable(content)
    case "uuencode":
    case "x-uuencode":
    case "x-uue":
      return fromUuencode(content)
    default:
      return content
  }
}
