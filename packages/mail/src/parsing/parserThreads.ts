/** Worker threads that parse mails, and what happens to the mails of one that crashes or hangs. */
import { type Lane, type ParsedMail, unreadableMail } from "@mailroom/domain"
import type { ReportLostThread } from "@mailroom/engine"
import { superviseThread } from "../threads/supervisedThread.js"
import {
  copiedInto,
  type ParseReply,
  type ParseRequest,
  progressOf,
  received,
  sizeOf,
} from "./threadMessages.js"
import { areUrgent, BATCH_MAX_BYTES, type Job, makeParseQueue, takesThread } from "./parseQueue.js"

export interface ParserThreadsOptions {
  /** number of threads for each lane */
  readonly threads: Readonly<Record<Lane, number>>
  /** milliseconds one mail of the slow lane may take */
  readonly deadline: number
  /** milliseconds in which a thread of the fast lane has to finish at least one of its mails */
  readonly fastDeadline: number
  /** raw bytes of mails of the slow lane being parsed at any moment; a single larger mail is parsed alone */
  readonly maxBytes: number
  /** JavaScript heap of one thread, in MB; buffers do not count */
  readonly maxHeapMb: number
  readonly workerFile: URL
  readonly report: ReportLostThread
}

/** Bytes of the shared memory for a batch of mails; a larger mail gets a buffer of its own. */
const MEMORY_BYTES: Readonly<Record<Lane, number>> = { fast: BATCH_MAX_BYTES, slow: 8 * 1024 * 1024 }
/** Raw bytes of mails of the fast lane being parsed at any moment. */
const FAST_MAX_BYTES = 16 * 1024 * 1024
/**
 * Requests that a thread has at a time, besides one of urgent mails: some 80 ms of work, so that it does not wait while the
 * event loop writes a batch.
 */
const REQUESTS_MAX = 4
/** A mail is given up after so many threads stopped before they began to parse it. */
const LOST_STARTS_MAX = 3

/** Mails that one request takes to a thread. */
interface Batch {
  readonly jobs: ReadonlyArray<Job>
  /** shared with the thread: which mails it has begun, and which it has finished */
  readonly progress: ReturnType<typeof progressOf>
  /** holds the mails, and is used again after the reply; null when they do not fit, or are in shared memory already */
  readonly memory: SharedArrayBuffer | null
}

const hasBegun = ({ jobs, progress }: Batch): boolean => jobs.some((_, index) => progress.isBegun(index))

export interface ParserThreads {
  /** Calls `settle` once, with all mails in their order. The function returned withdraws those that still wait. */
  readonly submit: (
    raws: ReadonlyArray<Uint8Array>,
    lane: Lane,
    settle: (mails: ReadonlyArray<ParsedMail | null>) => void,
  ) => () => void
  readonly close: () => Promise<void>
}

/**
 * After a crash or a missed deadline, another thread parses the mails that the lost one had not begun. A mail of the fast
 * lane that it was parsing returns null. One of the slow lane is tried again alone, then with its header only, and returns
 * `unreadableMail` if that fails too.
 */
export const startParserThreads = (options: ParserThreadsOptions): ParserThreads => {
  const queues = {
    fast: makeParseQueue({ maxBytes: FAST_MAX_BYTES, threads: options.threads.fast }),
    slow: makeParseQueue({ maxBytes: options.maxBytes, threads: options.threads.slow }),
  }
  let isClosed = false

  /** A mail that the lost thread was parsing. */
  const retry = (job: Job, isAlone: boolean, reason: string): void => {
    const queue = queues[job.lane]
    if (job.lane === "fast") job.settle(null)
    else if (job.headersOnly !== null) job.settle(unreadableMail(reason))
    else if (isAlone) queue.putBack([{ ...job, headersOnly: reason }])
    else queue.putBack([{ ...job, isSuspect: true }])
  }

  /** A mail that the lost thread had not begun to parse. */
  const startAgain = (job: Job, isAlone: boolean, reason: string): void => {
    const again = { ...job, lostStarts: job.lostStarts + 1 }
    if (again.lostStarts < LOST_STARTS_MAX) queues[job.lane].putBack([again])
    else retry(again, isAlone, reason)
  }

  const startThread = (lane: Lane) => {
    const queue = queues[lane]
    const isFast = lane === "fast"
    /**
     * Shared with the thread, `MEMORY_BYTES` each, used again and again: a new buffer for every batch makes the thread
     * collect all of its heap every 45 mails of 100 kB, and for every mail of 5 MB.
     */
    let memories: Array<SharedArrayBuffer> = []

    const thread = superviseThread<Batch, ParseRequest, ParseReply>({
      workerFile: options.workerFile,
      maxHeapMb: options.maxHeapMb,
      name: "the parser",
      task: "parsing",
      isSilent: false,
      deadline: () => {
        if (batches().length === 0) return null
        return isFast ? options.fastDeadline : options.deadline
      },
      progress: () => (isFast ? batches().reduce((sum, { progress }) => sum + progress.finished(), 0) : 0),
      onMessage: ({ id, mails }) => {
        const batch = thread.finish(id)
        if (batch === undefined) return
        queue.finished(batch.jobs)
        if (batch.memory !== null) memories.push(batch.memory)
        dispatch()
        for (const [index, job] of batch.jobs.entries()) {
          const mail = mails[index]
          job.settle(mail === undefined ? unreadableMail("the parser gave no answer") : received(mail))
        }
      },
      onLost: (lost, reason) => {
        const raws = lost.flatMap((batch) => batch.jobs.map(({ raw }) => raw))
        options.report(reason, { lane, mails: raws.length, bytes: sizeOf(raws) })
        // The thread may read its memory until it has ended.
        memories = []
        for (const { jobs } of lost) queue.finished(jobs)
        const blamed = lost.find(hasBegun) ?? lost[0]
        // Each is put back in front of the queue, so the last goes first.
        for (const other of lost.filter((batch) => batch !== blamed).toReversed()) queue.putBack(other.jobs)
        const jobs = [...(blamed?.jobs.entries() ?? [])]
        for (const [index, job] of jobs.toReversed()) {
          const isAlone = jobs.length === 1
          if (blamed?.progress.isBegun(index) === true) retry(job, isAlone, reason)
          else startAgain(job, isAlone, reason)
        }
        dispatch()
      },
    })

    /** Sent and not answered, at most five: see `nextJobs`. */
    const batches = (): ReadonlyArray<Batch> => thread.inFlight()

    const send = (jobs: ReadonlyArray<Job>): void => {
      const raws = jobs.map((job) => job.raw)
      const size = sizeOf(raws)
      const room = MEMORY_BYTES[lane]
      // Mail from the blob store is in shared memory.
      const areShared = raws.every(({ buffer }) => buffer instanceof SharedArrayBuffer)
      const memory = areShared || size > room ? null : (memories.pop() ?? new SharedArrayBuffer(room))
      const own = new ArrayBuffer(areShared || memory !== null ? 0 : size)
      const progress = progressOf(new SharedArrayBuffer(jobs.length))
      const request = {
        isUrgent: areUrgent(jobs),
        mails: areShared ? raws : copiedInto(memory ?? own, raws),
        headersOnly: jobs[0]?.headersOnly ?? null,
        progress: progress.shared,
      }
      thread.send({ jobs, progress, memory }, (id) => ({ id, ...request }), [own])
    }

    return { queue, batches, send, close: thread.close }
  }

  const threadsFor = (lane: Lane) => Array.from({ length: options.threads[lane] }, () => startThread(lane))
  const threads = [...threadsFor("fast"), ...threadsFor("slow")]

  /**
   * The next mails for a thread: one more request of any mails, or of urgent mails, which it parses before the rest of the
   * others. Behind a mail that takes the whole thread it gets none.
   */
  const nextJobs = ({ batches, queue }: (typeof threads)[number]): ReadonlyArray<Job> => {
    const sent = batches()
    if (sent.some(({ jobs }) => jobs.some(takesThread))) return []
    if (sent.length < REQUESTS_MAX) return queue.take()
    return sent.some(({ jobs }) => areUrgent(jobs)) ? [] : queue.takeUrgent()
  }

  /** Sends the next mails to each thread, until no thread takes more. */
  const dispatch = (): void => {
    if (isClosed) return
    const byLoad = threads.toSorted((one, other) => one.batches().length - other.batches().length)
    const sent = byLoad.filter((thread) => {
      const jobs = nextJobs(thread)
      if (jobs.length > 0) thread.send(jobs)
      return jobs.length > 0
    })
    if (sent.length > 0) dispatch()
  }

  return {
    submit: (raws, lane, settle) => {
      let isWanted = true
      const mails = new Map<number, ParsedMail | null>()
      const jobs = raws.map((raw, index): Job => ({
        raw,
        lane,
        settle: (mail) => {
          mails.set(index, mail)
          if (isWanted && mails.size === raws.length) settle(raws.map((_, at) => mails.get(at) ?? null))
        },
        isWanted: () => isWanted,
        submitted: raws.length,
        isSuspect: false,
        headersOnly: null,
        lostStarts: 0,
      }))
      queues[lane].add(jobs)
      dispatch()
      return () => {
        isWanted = false
        queues[lane].dropUnwanted()
      }
    },
    close: async () => {
      isClosed = true
      await Promise.all(threads.map(({ close }) => close()))
    },
  }
}
