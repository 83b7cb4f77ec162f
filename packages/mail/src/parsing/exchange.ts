/** What the pool and its workers say to each other. */
// A deep import: a worker thread has a heap of its own, and all of the domain is most of it.
import { type ParsedMail, wholeText } from "@mailroom/domain/messages/ParsedMail"

export interface ParseRequest {
  /** of the request, for its answer */
  readonly id: number
  /** read before the rest of requests that are not urgent */
  readonly isUrgent: boolean
  readonly mails: ReadonlyArray<Uint8Array>
  /** set when a mail failed before: only its header is read, and this is its defect */
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

/** The mails in the order of the request. What somebody wrote stays behind where it is the whole text: half of a mail, often. */
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

/** A worker's first word: from now on the time a mail takes is its own, not that of loading the parser. */
export const READY = "ready"
