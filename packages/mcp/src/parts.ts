/** Parts of long texts. Offsets and lengths are in UTF-16 units. */

/** Bytes of mail content, as JSON, that a result has unless the call asks for more. Results carry it twice. */
export const CONTENT_MAX_BYTES = 7_000

/** UTF-16 units that a call can ask for. */
export const ASKED_MAX_CHARS = 100_000

export interface TextPart {
  readonly text: string
  /** where the next part begins; null at the end */
  readonly nextOffset: number | null
  /** length of the whole text */
  readonly total: number
}

const bytesAsJson = (text: string): number => Buffer.byteLength(JSON.stringify(text))

/** The end of a part, moved back when it would cut a character in two. */
const wholeCharacters = (text: string, start: number, end: number): number =>
  end < text.length && end - start > 1 && /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end

/** The text from `offset` on: at most `maxBytes` as JSON, or at most `maxChars` when that is given. */
export const partOf = (
  text: string,
  offset: number,
  maxChars: number | undefined,
  maxBytes: number = CONTENT_MAX_BYTES,
): TextPart => {
  const start = Math.min(offset, text.length)
  let end = Math.min(text.length, start + (maxChars ?? maxBytes))
  if (maxChars === undefined)
    for (let bytes = bytesAsJson(text.slice(start, end)); bytes > maxBytes && end > start;) {
      end = start + Math.max(1, Math.floor(((end - start) * maxBytes) / bytes) - 1)
      bytes = end - start === 1 ? 0 : bytesAsJson(text.slice(start, end))
    }
  end = wholeCharacters(text, start, end)
  return { text: text.slice(start, end), nextOffset: end < text.length ? end : null, total: text.length }
}

/** The beginning of a text, of at most `maxBytes` as JSON. */
export const beginningOf = (text: string, maxBytes: number): string => {
  const { text: part, nextOffset } = partOf(text, 0, undefined, maxBytes)
  return nextOffset === null ? text : `${part} … (cut)`
}
