/** A worker thread's side of the pool. */
// A deep import: a worker thread has a heap of its own, and all of the domain is most of it.
import { bytesOf, type ParsedMail } from "@mailroom/domain/messages/ParsedMail"
import type { MessagePort } from "node:worker_threads"
import type { Allocate } from "./encodedFiles.js"
import { READY, type ParseReply, type ParseRequest, progressOf, toSend } from "./exchange.js"
import { handedOver, reusedMemory } from "./memory.js"
import { parseHeaders, parseMail } from "./parseMail.js"

/** mailparser waits for turns of the event loop, in which it may as well read another mail. */
const SIDE_BY_SIDE = 4

/**
 * Answers the requests of the pool: the urgent ones first, and those between some mails of another. So a mail that comes
 * alone does not wait for a backlog that the thread has begun.
 */
export const serve = (
  port: MessagePort,
  parse: (raw: Uint8Array, allocate: Allocate) => Promise<ParsedMail> = parseMail,
): void => {
  const { allocate, reset } = reusedMemory()
  const urgent: Array<ParseRequest> = []
  const others: Array<ParseRequest> = []

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
    for (let at = 0; at < mails.length; at += SIDE_BY_SIDE) {
      if (at > 0) await between()
      const some = mails.slice(at, at + SIDE_BY_SIDE)
      parsed.push(...(await Promise.all(some.map((raw, offset) => read(raw, at + offset)))))
    }
    return parsed
  }

  const answer = async (request: ParseRequest, between: () => Promise<void>): Promise<void> => {
    const parsed = await parseMails(request, between)
    const { files, buffers } = handedOver(parsed.flatMap((mail) => mail.attachments.map(bytesOf)))
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
