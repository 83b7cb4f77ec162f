/** A worker thread's side of the pool. */
import type { ParsedMail } from "@mailroom/domain"
import type { MessagePort } from "node:worker_threads"
import { inOneBuffer, READY, type ParseReply, type ParseRequest } from "./exchange.js"
import { parseHeaders, parseMail } from "./parseMail.js"

/** Answers every request of the pool, one after the other: the pool blames the first that it waits for. */
export const serve = (
  port: MessagePort,
  parse: (raw: Uint8Array) => Promise<ParsedMail> = parseMail,
): void => {
  const answer = async ({ headersOnly, mails }: ParseRequest): Promise<void> => {
    const parsed: Array<ParsedMail> = []
    for (const raw of mails)
      parsed.push(headersOnly === null ? await parse(raw) : parseHeaders(raw, headersOnly))
    const { buffer, views } = inOneBuffer(
      parsed.flatMap((mail) => mail.attachments.map((attachment) => attachment.bytes)),
    )
    let next = 0
    const reply: ParseReply = {
      mails: parsed.map((mail) => ({
        ...mail,
        attachments: mail.attachments.map((attachment) => ({
          ...attachment,
          bytes: views[next++] ?? new Uint8Array(),
        })),
      })),
    }
    port.postMessage(reply, [buffer])
  }
  let last = Promise.resolve()
  port.on("message", (request: ParseRequest) => {
    last = last.then(() => answer(request))
  })
  port.postMessage(READY)
}
