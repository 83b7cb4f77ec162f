/** The content of a DATA command on its way in: kept in memory while small, staged while it arrives when large. */
import type { RawContent, Reception } from "@mailroom/engine"
import { type Context, type Effect, Exit, Stream } from "effect"
import type { Readable } from "node:stream"
import type { Inspection } from "./inspection.js"
import { failure, type Refusal } from "./replies.js"

/** decisions §6, performance: a mail up to here is accepted as one piece, larger ones go to the blob store. */
const INLINE_MAX_BYTES = 64 * 1024

export type Intake =
  | { readonly kind: "content"; readonly content: RawContent }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** the client went away; nothing is kept */
  | { readonly kind: "lost" }

/** Runs an effect and reports how it ended. */
export type Run = <A>(effect: Effect.Effect<A>, onExit: (exit: Exit.Exit<A>) => void) => void

/**
 * Reads the message to its end and reports once. After a refusal the rest is read and thrown away, because a client
 * listens for its answer only after the last byte.
 */
export const takeIn = (
  message: Readable,
  inspection: Inspection,
  reception: Context.Tag.Service<Reception>,
  run: Run,
  report: (intake: Intake) => void,
): void => {
  let chunks: Array<Buffer> = []
  let refused: Refusal | null = null

  const reportInline = () => {
    message.off("close", reportLost)
    if (refused !== null) return report({ kind: "refused", refusal: refused })
    const [only] = chunks
    const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
    report({ kind: "content", content: { kind: "inline", bytes } })
  }
  const reportLost = () => report({ kind: "lost" })

  const collect = (chunk: Buffer) => {
    refused = inspection.inspect(chunk)
    if (refused !== null) {
      chunks = []
      return
    }
    chunks.push(chunk)
    if (inspection.bytes() > INLINE_MAX_BYTES) {
      message.pause()
      message.off("data", collect)
      message.off("end", reportInline)
      message.off("close", reportLost)
      stageTheRest()
    }
  }

  const stageTheRest = () => {
    let lost = false
    async function* content() {
      yield Buffer.concat(chunks)
      chunks = []
      try {
        for await (const chunk of message.iterator({ destroyOnReturn: false })) {
          refused = inspection.inspect(chunk)
          if (refused !== null) return
          yield chunk
        }
      } catch {
        lost = true
      }
    }
    const staged = reception.stage(Stream.fromAsyncIterable(content(), (error) => error).pipe(Stream.orDie))
    run(staged, (exit) => {
      if (Exit.isSuccess(exit)) {
        if (refused === null && !lost) return report({ kind: "content", content: exit.value })
        run(reception.discard(exit.value), () => {})
      } else refused ??= failure(exit.cause)
      message.on("data", inspection.inspect).resume()
      report(lost || refused === null ? { kind: "lost" } : { kind: "refused", refusal: refused })
    })
  }

  // A stream that is destroyed without a listener for its error would end the process.
  message.on("error", () => {})
  message.on("data", collect)
  message.once("end", reportInline)
  message.once("close", reportLost)
}
