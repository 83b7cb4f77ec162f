/** Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
import { ConnectionError } from "./MailroomError.js"
import { sleep } from "./retrying.js"

export interface Frame {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

const frameOf = (block: string): Frame => {
  const lines = block.split(/\r\n|\n|\r/)
  const valuesOf = (name: string): ReadonlyArray<string> =>
    lines
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ""))
  return {
    id: valuesOf("id").at(-1),
    event: valuesOf("event").at(-1) ?? "message",
    data: valuesOf("data").join("\n"),
  }
}

/** The end of a frame: an empty line. */
const END = /\r\n\r\n|\n\n|\r\r/

/** Characters of `END` that may come before its last chunk. */
const END_PART_CHARS = 3

/**
 * Splits a text that comes in chunks into frames, in linear time: what was searched without finding an end is not searched again, and is
 * joined once for each frame.
 */
class FrameSplitter {
  #searched: Array<string> = []
  /** the last characters, with which `END` may begin */
  #rest = ""

  /** The frames that are complete with this chunk. */
  push(chunk: string): ReadonlyArray<Frame> {
    const frames: Array<Frame> = []
    let text = this.#rest + chunk
    for (let end = END.exec(text); end !== null; end = END.exec(text)) {
      frames.push(frameOf(this.#searched.join("") + text.slice(0, end.index)))
      this.#searched = []
      text = text.slice(end.index + end[0].length)
    }
    const kept = Math.max(0, text.length - END_PART_CHARS)
    this.#searched.push(text.slice(0, kept))
    this.#rest = text.slice(kept)
    return frames
  }
}

/** The next bytes. Fails with ConnectionError when the connection breaks, or nothing comes for this many milliseconds. */
const nextBytes = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  longestSilence: number,
  signal: AbortSignal | undefined,
): Promise<ReadableStreamReadResult<Uint8Array>> => {
  const over = new AbortController()
  const silence = sleep(longestSilence, over.signal).then(() => {
    throw new Error(`Nothing came for ${longestSilence} ms.`)
  })
  const end = () => over.abort(signal?.reason)
  signal?.addEventListener("abort", end)
  if (signal?.aborted === true) end()
  try {
    return await Promise.race([reader.read(), silence])
  } catch (error) {
    throw new ConnectionError("The event stream broke.", error)
  } finally {
    signal?.removeEventListener("abort", end)
    over.abort()
    silence.catch(() => undefined)
  }
}

/** The frames of a stream, until it ends. Comments count as a sign of life. */
export async function* framesOf(
  stream: ReadableStream<Uint8Array>,
  longestSilence: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Frame, void, undefined> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  const splitter = new FrameSplitter()
  try {
    for (;;) {
      const { done, value } = await nextBytes(reader, longestSilence, signal)
      if (done) return
      for (const frame of splitter.push(decoder.decode(value, { stream: true })))
        if (frame.data !== "") yield frame
    }
  } finally {
    // Not awaited: it settles only when the connection is closed.
    reader.cancel().catch(() => undefined)
  }
}
