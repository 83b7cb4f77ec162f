/** The requests of the pool to its threads, their replies, and memory for the mails in them. */
// A deep import: a worker thread has a heap of its own, and all of the domain is most of it.
import { type ParsedMail, wholeText } from "@mailroom/domain/messages/ParsedMail"

export interface ParseRequest {
  readonly id: number
  /** to be parsed before the rest of requests that are not urgent */
  readonly isUrgent: boolean
  readonly mails: ReadonlyArray<Uint8Array>
  /** set after a mail failed: then only its header is parsed, and this is its defect */
  readonly headersOnly: string | null
  /** one byte a mail, see `progressOf` */
  readonly progress: SharedArrayBuffer
}

const BEGUN = 1
const FINISHED = 2

/** How far a thread has come with the mails of a request, in memory that both threads see. */
export const progressOf = (shared: SharedArrayBuffer) => {
  const states = new Uint8Array(shared)
  return {
    shared,
    begin: (index: number): void => void Atomics.store(states, index, BEGUN),
    finish: (index: number): void => void Atomics.store(states, index, FINISHED),
    isBegun: (index: number): boolean => Atomics.load(states, index) === BEGUN,
    /** how many mails are finished */
    finished: (): number => states.reduce((count, state) => (state === FINISHED ? count + 1 : count), 0),
  }
}

/**
 * The mails in the order of the request. `extractedText` is undefined where it is the whole text: sent once, because it
 * is often half of the mail.
 */
export interface ParseReply {
  /** of the request */
  readonly id: number
  readonly mails: ReadonlyArray<
    Omit<ParsedMail, "extractedText"> & { readonly extractedText: string | null | undefined }
  >
}

type SentMail = ParseReply["mails"][number]

export const toSend = (mail: ParsedMail): SentMail =>
  mail.extractedText === wholeText(mail.text) ? { ...mail, extractedText: undefined } : mail

export const received = (mail: SentMail): ParsedMail => ({
  ...mail,
  extractedText: mail.extractedText === undefined ? wholeText(mail.text) : mail.extractedText,
})

/** Bytes in all. */
export const sizeOf = (parts: ReadonlyArray<Uint8Array>): number =>
  parts.reduce((sum, part) => sum + part.length, 0)

/**
 * Copies byte strings into `memory`, which is transferred to another thread or shared with it, and returns views of it.
 * A transfer of the original buffers would take them from their owners; a clone would copy all that those buffers hold.
 */
export const copiedInto = (
  memory: ArrayBufferLike,
  parts: ReadonlyArray<Uint8Array>,
): ReadonlyArray<Uint8Array> => {
  let start = 0
  return parts.map((part) => {
    const view = new Uint8Array(memory, start, part.length)
    view.set(part)
    start += part.length
    return view
  })
}
