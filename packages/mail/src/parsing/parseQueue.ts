/** Mails that wait for a parser thread, and how many of them go to it together. */
import type { ParsedMail } from "@mailroom/domain"

/** `prompt` mails are given up after a short while; `patient` ones have the whole deadline. */
export type Patience = "prompt" | "patient"

export interface Job {
  readonly raw: Uint8Array
  readonly patience: Patience
  /** null: the mail was given up, and may be tried patiently */
  readonly settle: (mail: ParsedMail | null) => void
  /** false once nobody waits for the answer */
  readonly isWanted: () => boolean
  /** how many mails were submitted with it */
  readonly company: number
  /** true once a thread that was reading the mail did not come back: then the mail travels alone */
  readonly suspect: boolean
  /** why only the header is read: the mail itself did not come back */
  readonly headersOnly: string | null
  /** how often its thread stopped before it began this mail */
  readonly lostStarts: number
}

/** Mails up to here (bytes) travel together, so that one message to a worker serves many. */
const SMALL_BYTES = 256 * 1024
/** Some 20 ms of work. With half as many, parsing pauses between them. */
const BATCH_MAX_MAILS = 32
export const BATCH_MAX_BYTES = 1024 * 1024
/** Mails submitted together that somebody waits for; more are a backlog. */
const FEW_MAILS = 4

export const travelsAlone = (job: Job): boolean =>
  job.raw.length > SMALL_BYTES || job.suspect || job.headersOnly !== null

/** Whether mails came alone or nearly: they are read before the rest of a backlog that a thread has begun. */
export const areFew = (jobs: ReadonlyArray<Job>): boolean => jobs.every(({ company }) => company <= FEW_MAILS)

export interface ParseQueueLimits {
  /** raw bytes being parsed at any moment; a single larger mail is parsed alone */
  readonly maxBytes: number
  /** threads that share the mails */
  readonly threads: number
}

export interface ParseQueue {
  /** Few mails go before many: those are somebody's backlog. */
  readonly add: (jobs: ReadonlyArray<Job>) => void
  /** Puts mails back in front that a thread did not answer for. */
  readonly putBack: (jobs: ReadonlyArray<Job>) => void
  /** The next mails for one thread: a fair share of the small ones that wait, or one that travels alone. */
  readonly take: () => ReadonlyArray<Job>
  /** As `take`, but only mails that came alone or nearly. */
  readonly takeFew: () => ReadonlyArray<Job>
  /** Notes that mails are not being parsed any longer. */
  readonly finished: (jobs: ReadonlyArray<Job>) => void
  readonly dropUnwanted: () => void
}

export const makeParseQueue = ({ maxBytes, threads }: ParseQueueLimits): ParseQueue => {
  let waiting: Array<Job> = []
  let bytesInFlight = 0

  const fits = ({ raw }: Job): boolean => bytesInFlight === 0 || bytesInFlight + raw.length <= maxBytes

  const takeWhile = (isMeant: (job: Job) => boolean): ReadonlyArray<Job> => {
    const share = Math.min(BATCH_MAX_MAILS, Math.ceil(waiting.length / threads))
    const batch: Array<Job> = []
    let bytes = 0
    for (let job = waiting[0]; job !== undefined && batch.length < share; job = waiting[0]) {
      bytes += job.raw.length
      const isTooMuch = batch.length > 0 && (travelsAlone(job) || bytes > BATCH_MAX_BYTES)
      if (isTooMuch || !isMeant(job) || !fits(job)) break
      waiting.shift()
      batch.push(job)
      bytesInFlight += job.raw.length
      if (travelsAlone(job)) break
    }
    return batch
  }

  return {
    add: (jobs) => {
      const larger = waiting.findIndex(({ company }) => company > jobs.length)
      waiting.splice(larger === -1 ? waiting.length : larger, 0, ...jobs)
    },
    putBack: (jobs) => {
      waiting.unshift(...jobs.filter((job) => job.isWanted()))
    },
    take: () => takeWhile(() => true),
    takeFew: () => takeWhile((job) => areFew([job]) && !travelsAlone(job)),
    finished: (jobs) => {
      for (const { raw } of jobs) bytesInFlight -= raw.length
    },
    dropUnwanted: () => {
      waiting = waiting.filter((job) => job.isWanted())
    },
  }
}
