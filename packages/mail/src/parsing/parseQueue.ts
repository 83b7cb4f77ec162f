/** Mails that wait for a parser thread, and which of them go to it together. */
import type { Lane, ParsedMail } from "@mailroom/domain"

export interface Job {
  readonly raw: Uint8Array
  /** `fast` for `MimeParser.parseFast`, `slow` for `MimeParser.parse`; each has its own queue and threads */
  readonly lane: Lane
  /** null: `fastDeadline` passed, or the thread stopped, while this mail of the fast lane was parsed */
  readonly settle: (mail: ParsedMail | null) => void
  /** false once the caller was interrupted */
  readonly isWanted: () => boolean
  /** how many mails were submitted together, this one included */
  readonly submitted: number
  /** a thread was lost while it parsed this mail: from now on the mail is sent alone */
  readonly isSuspect: boolean
  /** why only the header is parsed: a thread was lost while it parsed this mail alone. null: parse the whole mail */
  readonly headersOnly: string | null
  /** how many threads stopped before they began this mail */
  readonly lostStarts: number
}

/** Mails of up to so many bytes share a request to a thread. */
const SMALL_BYTES = 256 * 1024
/** Some 20 ms of work. With half as many, a thread waits between batches. */
const BATCH_MAX_MAILS = 32
export const BATCH_MAX_BYTES = 1024 * 1024
/** Mails that are urgent when they are submitted together; more are a backlog. */
const URGENT_MAX_MAILS = 4

/** Whether a request to a thread has this mail only. */
const isSentAlone = (job: Job): boolean =>
  job.raw.length > SMALL_BYTES || job.isSuspect || job.headersOnly !== null

/** Whether a thread gets no other request while it parses this mail, which may take long or stop the thread. */
export const takesThread = (job: Job): boolean => job.lane === "slow" && isSentAlone(job)

/** Whether none of the mails is part of a backlog. A thread parses urgent mails before the rest of a backlog that it has begun. */
export const areUrgent = (jobs: ReadonlyArray<Job>): boolean =>
  jobs.every(({ submitted }) => submitted <= URGENT_MAX_MAILS)

export interface ParseQueueLimits {
  /** raw bytes being parsed at any moment; a single larger mail is parsed alone */
  readonly maxBytes: number
  /** threads that share the mails */
  readonly threads: number
}

export interface ParseQueue {
  /** Adds mails that were submitted together, in front of larger submissions: a mail that comes alone does not wait for a backlog. */
  readonly add: (jobs: ReadonlyArray<Job>) => void
  /** Puts mails of a lost thread back in front. */
  readonly putBack: (jobs: ReadonlyArray<Job>) => void
  /** The next mails for one thread: a fair share of the small ones that wait, or one that is sent alone. Empty when none fits `maxBytes`. */
  readonly take: () => ReadonlyArray<Job>
  /** As `take`, but urgent mails only, and none that is sent alone. */
  readonly takeUrgent: () => ReadonlyArray<Job>
  /** Mails that were taken are no longer being parsed. */
  readonly finished: (jobs: ReadonlyArray<Job>) => void
  readonly dropUnwanted: () => void
}

export const makeParseQueue = ({ maxBytes, threads }: ParseQueueLimits): ParseQueue => {
  let waiting: Array<Job> = []
  let bytesInFlight = 0

  const fits = ({ raw }: Job): boolean => bytesInFlight === 0 || bytesInFlight + raw.length <= maxBytes

  const takeWhile = (isEligible: (job: Job) => boolean): ReadonlyArray<Job> => {
    const share = Math.min(BATCH_MAX_MAILS, Math.ceil(waiting.length / threads))
    const batch: Array<Job> = []
    let bytes = 0
    for (let job = waiting[0]; job !== undefined && batch.length < share; job = waiting[0]) {
      bytes += job.raw.length
      const isTooMuch = batch.length > 0 && (isSentAlone(job) || bytes > BATCH_MAX_BYTES)
      if (isTooMuch || !isEligible(job) || !fits(job)) break
      waiting.shift()
      batch.push(job)
      bytesInFlight += job.raw.length
      if (isSentAlone(job)) break
    }
    return batch
  }

  return {
    add: (jobs) => {
      const larger = waiting.findIndex(({ submitted }) => submitted > jobs.length)
      waiting.splice(larger === -1 ? waiting.length : larger, 0, ...jobs)
    },
    putBack: (jobs) => {
      waiting.unshift(...jobs.filter((job) => job.isWanted()))
    },
    take: () => takeWhile(() => true),
    takeUrgent: () => takeWhile((job) => areUrgent([job]) && !isSentAlone(job)),
    finished: (jobs) => {
      for (const { raw } of jobs) bytesInFlight -= raw.length
    },
    dropUnwanted: () => {
      waiting = waiting.filter((job) => job.isWanted())
    },
  }
}
