/** What a header says, read by rules of our own, so that the service is not compared with itself. */

const encodedWord = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bq])\?([^?]*)\?=/gi

const wordBytes = (encoding: string, text: string): Buffer =>
  encoding.toLowerCase() === "b"
    ? Buffer.from(text, "base64")
    : Buffer.from(
        text
          .replaceAll("_", " ")
          .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        "latin1",
      )

/** Bytes in a charset, or null when the charset is unknown or does not fit. */
export const decoded = (bytes: Uint8Array, charset: string): string | null => {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/**
 * A header value without its encoded words; null when one of them cannot be read. Words of one charset that follow
 * each other are read together, as RFC 2047 §6.2 wants them shown.
 */
const withoutWords = (value: string): string | null => {
  const joined = value.replace(/(\?=)\s+(?==\?)/g, "$1")
  let readable = true
  const runs = joined.replace(/(?:=\?[^?\s]+\?[bq]\?[^?]*\?=)+/gi, (run) => {
    const words = [...run.matchAll(encodedWord)].map(([, charset = "", encoding = "", text = ""]) => ({
      charset: charset.toLowerCase(),
      bytes: wordBytes(encoding, text),
    }))
    const texts: Array<string | null> = []
    for (let at = 0; at < words.length;) {
      const charset = words[at]?.charset ?? ""
      let end = at
      while (words[end]?.charset === charset) end++
      texts.push(decoded(Buffer.concat(words.slice(at, end).map(({ bytes }) => bytes)), charset))
      at = end
    }
    if (texts.includes(null)) readable = false
    return texts.join("")
  })
  return readable ? runs : null
}

export const squeezed = (text: string): string => text.replace(/\s+/g, " ").trim()

/** A field of the header as it stands, unfolded; null when there is none. */
const rawField = (message: Buffer, name: string): string | null => {
  const text = message.toString("latin1")
  const end = text.indexOf("\r\n\r\n")
  const header = (end === -1 ? text : text.slice(0, end)).replace(/\r\n(?=[ \t])/g, "")
  const line = header.split("\r\n").find((field) => field.toLowerCase().startsWith(`${name}:`))
  return line === undefined ? null : line.slice(name.length + 1)
}

/** What a field says; null when it is absent, or cannot be told for certain. */
export const expectedField = (message: Buffer, name: string): string | null => {
  const raw = rawField(message, name)
  if (raw === null) return null
  const text = /[\u0080-\u00ff]/.test(raw) ? decoded(Buffer.from(raw, "latin1"), "utf-8") : raw
  const plain = text === null ? null : withoutWords(text)
  return plain === null ? null : squeezed(plain)
}

/** What is left of an encoding in a text that was to be decoded: encoded words that can be read. */
export const encodedWords = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(encodedWord)].flatMap(([word, charset = "", encoding = "", payload = ""]) =>
    decoded(wordBytes(encoding, payload), charset) === null ? [] : [word],
  )
