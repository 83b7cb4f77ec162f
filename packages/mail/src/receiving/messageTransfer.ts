/** The transfer of one message, from the 354 reply to the end of the data. */
import type { RawContent } from "@mailroom/engine"
import { type Cause, Exit } from "effect"
import type { ContentWriter, ContentWriterOptions } from "./contentWriter.js"
import { makeMessageReader } from "./messageReader.js"
import { refusedGoesOn, type Reply } from "./replies.js"

export type TransferOutcome =
  | { readonly kind: "content"; readonly content: RawContent; readonly release: () => void }
  /** reported at the end, because the client reads no reply before it */
  | { readonly kind: "refused"; readonly reply: Reply }
  /** refused, and the client goes on without an end: the session ends */
  | { readonly kind: "endless"; readonly reply: Reply }
  /** the blob store failed */
  | { readonly kind: "failed"; readonly cause: Cause.Cause<never> }

export interface MessageTransfer {
  /** epoch milliseconds */
  readonly startedAt: number
  /** bytes of the message so far */
  readonly bytes: () => number
  /** Reads `chunk` from `start`. Returns the offset after the end of the message, or -1 when it goes on. */
  readonly read: (chunk: Buffer, start: number) => number
  /** Discards the message. Does not call `onEnd`. */
  readonly abandon: () => void
}

export interface TransferOptions {
  readonly startedAt: number
  readonly openWriter: (options: Pick<ContentWriterOptions, "onRoom" | "onContent">) => ContentWriter
  /** The blob store is slower than the client: read no more until `onRoom`. */
  readonly onBusy: () => void
  readonly onRoom: () => void
  /**
   * The message is read to its end or ended for being endless, and its content is stored, refused or lost. Called once,
   * perhaps within `read`.
   */
  readonly onEnd: (outcome: TransferOutcome) => void
}

export const startTransfer = ({
  startedAt,
  openWriter,
  onBusy,
  onRoom,
  onEnd,
}: TransferOptions): MessageTransfer => {
  const reader = makeMessageReader()
  let isRead = false
  let failure: Cause.Cause<never> | null = null

  const onContent = (exit: Exit.Exit<RawContent>): void => {
    if (Exit.isFailure(exit)) failure = exit.cause
    if (!isRead) return onRoom()
    if (Exit.isSuccess(exit)) onEnd({ kind: "content", content: exit.value, release: writer.release })
    else onEnd({ kind: "failed", cause: exit.cause })
  }
  const writer = openWriter({ onRoom, onContent })

  const readToEnd = (): void => {
    isRead = true
    const reply = reader.refusal()
    if (reply !== null) onEnd({ kind: "refused", reply })
    else if (failure !== null) onEnd({ kind: "failed", cause: failure })
    else writer.complete()
  }

  return {
    startedAt,
    bytes: reader.bytes,
    read: (chunk, start) => {
      const wasRefused = reader.refusal() !== null
      const end = reader.read(chunk, start)
      const content = reader.content()
      if (reader.refusal() !== null) {
        if (!wasRefused) {
          writer.abandon()
          onRoom()
        }
      } else if (failure === null && content.length > 0 && !writer.add(content) && end === -1) onBusy()
      if (end !== -1) readToEnd()
      else if (reader.isEndless()) onEnd({ kind: "endless", reply: refusedGoesOn })
      return end
    },
    abandon: writer.abandon,
  }
}
