/** The program of a parser thread: answers the requests of `parserThreads.ts` (see `threadMessages.ts`). */
import { INLINE_MAX_BYTES } from "@mailroom/domain/limits"
// A deep import: a worker thread has a heap of its own, and all of the domain is most of it.
import { bytesOf, type ParsedMail } from "@mailroom/domain/messages/ParsedMail"
import type { MessagePort } from "node:worker_threads"
import { READY } from "../threads/supervisedThread.js"
import type { Allocate } from "./encodedFiles.js"
import {
  copiedInto,
  type ParseReply,
  type ParseRequest,
  progressOf,
  sizeOf,
  toSend,
} from "./threadMessages.js"
import { parseHeaders, parseMail } from "./parseMail.js"

/** Mails parsed concurrently: mailparser waits for turns of the event loop, which another mail can use. */
const CONCURRENCY = 4

/** Room for the files of one batch that are small enough to stay in their mails. */
const REUSED_BYTES = 1024 * 1024

/**
 * Memory that the files of each batch use again: after some 8 MB of new buffers a thread collects all of its heap, which
 * takes longer than to parse the mails. A file of a larger mail gets a buffer of its own, which can be transferred.
 */
const reusedMemory = (): { readonly allocate: Allocate; readonly reset: () => void } => {
  const memory = Buffer.allocUnsafeSlow(REUSED_BYTES)
  let used = 0
  return {
    allocate: (bytes) => {
      if (bytes > INLINE_MAX_BYTES || bytes > memory.length - used) return Buffer.allocUnsafeSlow(bytes)
      used += bytes
      return memory.subarray(used - bytes, used)
    },
    reset: () => {
      used = 0
    },
  }
}

/** Whether a file fills its buffer, and is large enough to transfer it rather than to copy it. */
const hasOwnBuffer = ({ buffer, byteLength }: Uint8Array): boolean =>
  byteLength > INLINE_MAX_BYTES && buffer.byteLength === byteLength

/** Files for another thread, and the buffers to transfer: those of large files, and one with copies of the others. */
const transferable = (files: ReadonlyArray<Uint8Array>) => {
  const small = files.filter((bytes) => !hasOwnBuffer(bytes))
  const memory = new ArrayBuffer(sizeOf(small))
  const copies = copiedInto(memory, small)
  let next = 0
  const large = files
    .filter(hasOwnBuffer)
    .flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? buffer : []))
  return {
    files: files.map((bytes) => (hasOwnBuffer(bytes) ? bytes : (copies[next++] ?? bytes))),
    buffers: [memory, ...large],
  }
}

/**
 * Answers the requests of the pool. Urgent requests go first, also between the mails of another request, so that a mail
 * that comes alone does not wait for a backlog that the thread has begun.
 */
export const serve = (
  port: MessagePort,
  parse: (raw: Uint8Array, allocate: Allocate) => Promise<ParsedMail> = parseMail,
): void => {
  const { allocate, reset } = reusedMemory()
  const urgent: Array<ParseRequest> = []
  const others: Array<ParseRequest> = []

  /** `between` runs after each `CONCURRENCY` mails. */
  const parseMails = async (
    { headersOnly, mails, progress: shared }: ParseRequest,
    between: () => Promise<void>,
  ): Promise<ReadonlyArray<ParsedMail>> => {
    const progress = progressOf(shared)
    const read = async (raw: Uint8Array, index: number) => {
      progress.begin(index)
      const mail = headersOnly === null ? await parse(raw, allocate) : parseHeaders(raw, headersOnly)
      progress.finish(index)
      return mail
    }
    const parsed: Array<ParsedMail> = []
    for (let at = 0; at < mails.length; at += CONCURRENCY) {
      if (at > 0) await between()
      const some = mails.slice(at, at + CONCURRENCY)
      parsed.push(...(await Promise.all(some.map((raw, offset) => read(raw, at + offset)))))
    }
    return parsed
  }

  const answer = async (request: ParseRequest, between: () => Promise<void>): Promise<void> => {
    const parsed = await parseMails(request, between)
    const { files, buffers } = transferable(parsed.flatMap((mail) => mail.attachments.map(bytesOf)))
    let next = 0
    const reply: ParseReply = {
      id: request.id,
      mails: parsed.map((mail) =>
        toSend({
          ...mail,
          attachments: mail.attachments.map(({ content, ...attachment }) => {
            const bytes = files[next++] ?? new Uint8Array()
            return { ...attachment, content: content instanceof Uint8Array ? bytes : content }
          }),
        }),
      ),
    }
    port.postMessage(reply, buffers)
  }

  const answerUrgent = async (): Promise<void> => {
    for (let request = urgent.shift(); request !== undefined; request = urgent.shift())
      await answer(request, answerUrgent)
  }
  let isBusy = false
  const answerAll = async (): Promise<void> => {
    if (isBusy) return
    isBusy = true
    await answerUrgent()
    for (let request = others.shift(); request !== undefined; request = others.shift()) {
      await answer(request, answerUrgent)
      await answerUrgent()
      reset()
    }
    reset()
    isBusy = false
  }
  port.on("message", (request: ParseRequest) => {
    const queue = request.isUrgent ? urgent : others
    queue.push(request)
    void answerAll()
  })
  port.postMessage(READY)
}
