/** A worker thread's side of the pool. */
// A deep import: a worker thread has a heap of its own, and all of the domain is most of it.
import { bytesOf, type ParsedMail } from "@mailroom/domain/messages/ParsedMail"
import type { MessagePort } from "node:worker_threads"
import { inOneBuffer, READY, type ParseReply, type ParseRequest, progressOf, toSend } from "./exchange.js"
import { parseHeaders, parseMail } from "./parseMail.js"

/** mailparser waits for turns of the event loop, in which it may as well read another mail. */
const SIDE_BY_SIDE = 4

/** Answers every request of the pool, one after the other: the pool blames the first that it waits for. */
export const serve = (
  port: MessagePort,
  parse: (raw: Uint8Array) => Promise<ParsedMail> = parseMail,
): void => {
  const answer = async ({ headersOnly, mails, progress: shared }: ParseRequest): Promise<void> => {
    const progress = progressOf(shared)
    const read = async (raw: Uint8Array, index: number) => {
      progress.begin(index)
      const mail = headersOnly === null ? await parse(raw) : parseHeaders(raw, headersOnly)
      progress.finish(index)
      return mail
    }
    const parsed: Array<ParsedMail> = []
    for (let at = 0; at < mails.length; at += SIDE_BY_SIDE) {
      const some = mails.slice(at, at + SIDE_BY_SIDE)
      parsed.push(...(await Promise.all(some.map((raw, offset) => read(raw, at + offset)))))
    }
    const { buffer, views } = inOneBuffer(parsed.flatMap((mail) => mail.attachments.map(bytesOf)))
    let next = 0
    const reply: ParseReply = {
      mails: parsed.map((mail) =>
        toSend({
          ...mail,
          attachments: mail.attachments.map(({ content, ...attachment }) => {
            const view = views[next++] ?? new Uint8Array()
            return { ...attachment, content: content instanceof Uint8Array ? view : content }
          }),
        }),
      ),
    }
    port.postMessage(reply, [buffer])
  }
  let last = Promise.resolve()
  port.on("message", (request: ParseRequest) => {
    last = last.then(() => answer(request))
  })
  port.postMessage(READY)
}
