/** Content-Transfer-Encoding undone, byte for byte where it is well formed and as far as it goes where not. */

/**
 * Whatever is not of the alphabet is ignored (RFC 2045 §6.8); where there was any, what is left over at the end makes
 * no byte.
 */
const fromAlphabet = (text: string): Buffer => {
  const clean = text.replace(/[^A-Za-z0-9+/]+/g, "")
  const isBroken = /[^A-Za-z0-9+/\s]/.test(text)
  return Buffer.from(isBroken ? clean.slice(0, clean.length - (clean.length % 4)) : clean, "base64")
}

/**
 * Padding ends the content, unless base64 and nothing else follows: then two contents were put together; a footer of
 * a mailing list is none.
 */
const fromBase64 = (content: Buffer): Buffer => {
  const text = content.toString("latin1")
  const padding = text.indexOf("=")
  if (padding === -1) return fromAlphabet(text)
  const rest = text.slice(padding).replace(/^[=\s]+/, "")
  const first = fromAlphabet(text.slice(0, padding))
  if (rest === "" || /[^A-Za-z0-9+/=\s]/.test(rest)) return first
  return Buffer.concat([first, ...rest.split(/=[=\s]*/).map(fromAlphabet)])
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

/** From the line after `begin` to `end`; content without a `begin` is nothing of the kind and stays as it is. */
const fromUuencode = (content: Buffer): Buffer => {
  const lines = content.toString("latin1").split(/\r?\n/)
  const begin = lines.findIndex((line) => /^begin(?:-base64)? [0-7]{3,4} /.test(line))
  if (begin === -1) return content
  if (lines[begin]?.startsWith("begin-base64") === true)
    return fromBase64(Buffer.from(lines.slice(begin + 1).join("\n")))
  const out: Array<Buffer> = []
  for (const line of lines.slice(begin + 1)) {
    const count = (line.charCodeAt(0) - 32) & 63
    if (line === "end" || line === "" || count === 0) break
    const bits = Array.from({ length: Math.ceil(count / 3) * 4 }, (_, at) => {
      const code = line.charCodeAt(at + 1)
      return Number.isNaN(code) ? 0 : (code - 32) & 63
    })
    const bytes = Array.from({ length: Math.ceil(count / 3) * 3 }, (_, at) => {
      const from = Math.floor(at / 3) * 4 + (at % 3)
      return (((bits[from] ?? 0) << (2 + (at % 3) * 2)) | ((bits[from + 1] ?? 0) >> (4 - (at % 3) * 2))) & 255
    })
    out.push(Buffer.from(bytes.slice(0, count)))
  }
  return Buffer.concat(out)
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
