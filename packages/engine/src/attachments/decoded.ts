/** Decodes base64 lines as they are read. */
import type { EncodedPart } from "@mailroom/domain"
import { Stream } from "effect"

/** The range that `part` describes, from the lines that it names. */
export const decoded = <E>(
  lines: Stream.Stream<Uint8Array, E>,
  { skip, take }: Pick<EncodedPart, "skip" | "take">,
): Stream.Stream<Uint8Array, E> =>
  Stream.suspend(() => {
    let characters = ""
    let at = -skip
    /** The bytes of the first `count` characters that are within the range. */
    const next = (count: number): Uint8Array => {
      const bytes = Buffer.from(characters.slice(0, count), "base64")
      characters = characters.slice(count)
      const start = Math.max(0, -at)
      const end = Math.min(bytes.length, take - at)
      at += bytes.length
      return bytes.subarray(Math.min(start, end), end)
    }
    return lines.pipe(
      Stream.map((chunk) => {
        const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1")
        characters = (characters + text).replaceAll("\r\n", "")
        // A chunk may end within a line end.
        const complete = characters.endsWith("\r") ? characters.length - 1 : characters.length
        return next(complete - (complete % 4))
      }),
      // What is left has no padding.
      Stream.concat(Stream.sync(() => next(characters.length))),
      Stream.filter(({ length }) => length > 0),
    )
  })
