/** Worker threads that parse mails, and what happens to the mails of one that crashes or hangs. */
import { type ParsedMail, unreadableMail } from "@mailroom/domain"
import { superviseThread } from "../threads/supervisedThread.js"
import { copiedInto, type ParseReply, type ParseRequest, progressOf, received, sizeOf } from "./exchange.js"
import {
  areFew,
  BATCH_MAX_BYTES,
  type Job,
  makeParseQueue,
  type Patience,
  travelsAlone,
} from "./parseQueue.js"

export interface ParserThreadsOptions {
  /** threads for prompt mails, and threads for patient ones */
  readonly workers: Readonly<Record<Patience, number>>
  /** milliseconds one patient mail may take */
  readonly deadline: number
  /** milliseconds in which a thread has to finish at least one of its prompt mails */
  readonly promptDeadline: number
  /** raw bytes of patient mails being parsed at any moment; a single larger mail is parsed alone */
  readonly maxBytes: number
  /** JavaScript heap of one thread, in MB; buffers do not count */
  readonly maxHeapMb: number
  readonly workerFile: URL
}

/** Bytes of the shared memory for a batch of mails; a larger mail gets a buffer of its own. */
const MEMORY_BYTES: Readonly<Record<Patience, number>> = { prompt: BATCH_MAX_BYTES, patient: 8 * 1024 * 1024 }
/** Raw bytes of prompt mails being parsed at any moment. */
const PROMPT_MAX_BYTES = 16 * 1024 * 1024
/** A mail is given up after so many threads stopped before they began to parse it. */
const LOST_STARTS_MAX = 3

/** Mails that one request takes to a thread. */
interface Batch {
  readonly jobs: ReadonlyArray<Job>
  /** shared with the thread: which mails it has begun, and which it has finished */
  readonly progress: ReturnType<typeof progressOf>
  /** holds the mails, and is used again after the reply; null when they do not fit */
  readonly memory: SharedArrayBuffer | null
}

const hasBegun = ({ jobs, progress }: Batch): boolean => jobs.some((_, index) => progress.isBegun(index))

export interface ParserThreads {
  /** Calls `settle` once, with all mails in their order. The function returned withdraws those that still wait. */
  readonly submit: (
    raws: ReadonlyArray<Uint8Array>,
    patience: Patience,
    settle: (mails: ReadonlyArray<ParsedMail | null>) => void,
  ) => () => void
  readonly close: () => Promise<void>
}

/**
 * After a crash or a missed deadline, another thread parses the mails that the lost one had not begun. A prompt mail that
 * it was parsing is given up. A patient one is tried again alone, then with its header only, and comes back unread if
 * even that fails.
 */
export const startParserThreads = (options: ParserThreadsOptions): ParserThreads => {
  const queues = {
    prompt: makeParseQueue({ maxBytes: PROMPT_MAX_BYTES, threads: options.workers.prompt }),
    patient: makeParseQueue({ maxBytes: options.maxBytes, threads: options.workers.patient }),
  }
  let isClosed = false

  /** A mail that the lost thread was parsing. */
  const retry = (job: Job, isAlone: boolean, reason: string): void => {
    const queue = queues[job.patience]
    if (job.patience === "prompt") job.settle(null)
    else if (job.headersOnly !== null) job.settle(unreadableMail(reason))
    else if (isAlone) queue.putBack([{ ...job, headersOnly: reason }])
    else queue.putBack([{ ...job, isSuspect: true }])
  }

  /** A mail that the lost thread had not begun to parse. */
  const startAgain = (job: Job, isAlone: boolean, reason: string): void => {
    const again = { ...job, lostStarts: job.lostStarts + 1 }
    if (again.lostStarts < LOST_STARTS_MAX) queues[job.patience].putBack([again])
    else retry(again, isAlone, reason)
  }

  const startThread = (patience: Patience) => {
    const queue = queues[patience]
    const isPrompt = patience === "prompt"
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
        return isPrompt ? options.promptDeadline : options.deadline
      },
      progress: () => (isPrompt ? batches().reduce((sum, { progress }) => sum + progress.finished(), 0) : 0),
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

    /** Sent and not answered, at most three: see `nextJobs`. */
    const batches = (): ReadonlyArray<Batch> => thread.inFlight()

    const send = (jobs: ReadonlyArray<Job>): void => {
      const raws = jobs.map((job) => job.raw)
      const size = sizeOf(raws)
      const room = MEMORY_BYTES[patience]
      const memory = size > room ? null : (memories.pop() ?? new SharedArrayBuffer(room))
      // Large mail comes in shared memory from the blob store.
      const areShared = raws.every(({ buffer }) => buffer instanceof SharedArrayBuffer)
      const own = new ArrayBuffer(memory !== null || areShared ? 0 : size)
      const progress = progressOf(new SharedArrayBuffer(jobs.length))
      const request = {
        isUrgent: areFew(jobs),
        mails: memory === null && areShared ? raws : copiedInto(memory ?? own, raws),
        headersOnly: jobs[0]?.headersOnly ?? null,
        progress: progress.shared,
      }
      thread.send({ jobs, progress, memory }, (id) => ({ id, ...request }), [own])
    }

    return { queue, batches, send, close: thread.close }
  }

  const threadsFor = (patience: Patience) =>
    Array.from({ length: options.workers[patience] }, () => startThread(patience))
  const threads = [...threadsFor("prompt"), ...threadsFor("patient")]

  /**
   * The next mails for a thread. It gets a second batch while it parses the first, so that it never waits for us, and a
   * third one of few mails, which it parses before the rest of the others.
   */
  const nextJobs = ({ batches, queue }: (typeof threads)[number]): ReadonlyArray<Job> => {
    const sent = batches()
    if (sent.length === 0) return queue.take()
    if (sent.some(({ jobs }) => jobs.some(travelsAlone))) return []
    if (sent.length === 1) return queue.take()
    return sent.some(({ jobs }) => areFew(jobs)) ? [] : queue.takeFew()
  }

  const dispatch = (): void => {
    if (isClosed) return
    const byLoad = threads.toSorted((one, other) => one.batches().length - other.batches().length)
    for (const thread of byLoad) {
      const jobs = nextJobs(thread)
      if (jobs.length > 0) thread.send(jobs)
    }
  }

  return {
    submit: (raws, patience, settle) => {
      let isWanted = true
      const mails = new Map<number, ParsedMail | null>()
      const jobs = raws.map((raw, index): Job => ({
        raw,
        patience,
        settle: (mail) => {
          mails.set(index, mail)
          if (isWanted && mails.size === raws.length) settle(raws.map((_, at) => mails.get(at) ?? null))
        },
        isWanted: () => isWanted,
        company: raws.length,
        isSuspect: false,
        headersOnly: null,
        lostStarts: 0,
      }))
      queues[patience].add(jobs)
      dispatch()
      return () => {
        isWanted = false
        queues[patience].dropUnwanted()
      }
    },
    close: async () => {
      isClosed = true
      await Promise.all(threads.map(({ close }) => close()))
    },
  }
}
