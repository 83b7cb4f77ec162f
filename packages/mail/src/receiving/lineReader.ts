/** Reads command lines from chunks that are split anywhere. Keeps no more of a line than a command may have. */
import { ADDRESS_COMMAND_LINE_MAX, COMMAND_LINE_ABUSE } from "@mailroom/domain"

const CR = 0x0d
const LF = 0x0a
const nothing = Buffer.alloc(0)

export interface LineReader {
  /** Reads `chunk` from `start` on: returns the offset behind the line end, or behind the chunk. */
  readonly read: (chunk: Buffer, start: number) => number
  /**
   * What was read last. A line ends with LF or CRLF, which `text` does not have; `length` is in bytes and counts them.
   * Text above `ADDRESS_COMMAND_LINE_MAX` bytes is cut.
   */
  readonly last: () =>
    | { readonly kind: "line"; readonly text: string; readonly length: number }
    | { readonly kind: "part" }
    /** so many bytes without a line end are no command */
    | { readonly kind: "abuse" }
}

export const makeLineReader = (): LineReader => {
  /** the start of a line whose end has not arrived */
  let kept: Buffer = nothing
  let length = 0
  let last: ReturnType<LineReader["last"]> = { kind: "part" }

  return {
    read: (chunk, start) => {
      const feed = chunk.indexOf(LF, start)
      const end = feed === -1 ? chunk.length : feed
      const part = chunk.subarray(start, Math.min(end, start + ADDRESS_COMMAND_LINE_MAX - kept.length))
      length += end - start
      if (length > COMMAND_LINE_ABUSE) last = { kind: "abuse" }
      else if (feed === -1) {
        // A copy: a few bytes must not keep the whole chunk in memory.
        kept = Buffer.concat([kept, part])
        last = { kind: "part" }
      } else {
        const line = kept.length === 0 ? part : Buffer.concat([kept, part])
        const text = line.toString("utf8", 0, line.at(-1) === CR ? line.length - 1 : line.length)
        last = { kind: "line", text, length: length + 1 }
        kept = nothing
        length = 0
      }
      return feed === -1 ? end : feed + 1
    },
    last: () => last,
  }
}
