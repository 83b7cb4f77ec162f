/** Worker threads that parse mails, and what happens when one of them does not come back. */
import { type ParsedMail, unreadableMail } from "@mailroom/domain"
import { Worker } from "node:worker_threads"
import {
  copiedInto,
  READY,
  type ParseReply,
  type ParseRequest,
  progressOf,
  received,
  sizeOf,
} from "./exchange.js"

/** `prompt` mails are given up after a short while; `patient` ones have the whole deadline. */
export type Patience = "prompt" | "patient"

export interface WorkersOptions {
  /** threads for prompt mails, and threads for patient ones */
  readonly workers: Readonly<Record<Patience, number>>
  /** milliseconds one patient mail may take */
  readonly deadline: number
  /** milliseconds in which a thread has to finish at least one of its prompt mails */
  readonly promptDeadline: number
  /** raw bytes of patient mails being parsed at any moment; a single larger mail is parsed alone */
  readonly maxBytes: number
  /** JavaScript heap of one worker, in MB; buffers do not count */
  readonly maxHeapMb: number
  readonly workerFile: URL
}

/** Mails up to here (bytes) travel together, so that one message to a worker serves many. */
const SMALL_BYTES = 256 * 1024
/** Some 20 ms of work: a mail that comes alone waits for two batches at most. With half as many, parsing pauses between them. */
const BATCH_MAX_MAILS = 32
const BATCH_MAX_BYTES = 1024 * 1024
/** Raw bytes of prompt mails being parsed at any moment. */
const PROMPT_MAX_BYTES = 16 * 1024 * 1024
/** Milliseconds a worker may take to load, on a machine that has other things to do. */
const START_DEADLINE = 60_000
/** Threads that may stop before they begin a prompt mail, until that mail is given up. */
const LOST_STARTS_MAX = 3

interface Job {
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

interface Batch {
  readonly jobs: ReadonlyArray<Job>
  /** shared with the thread: which mails it has begun, and which it has finished */
  readonly progress: ReturnType<typeof progressOf>
  /** of its slot, with its mails; null when they are more than that holds */
  readonly memory: SharedArrayBuffer | null
}

interface Slot {
  readonly serves: Patience
  thread: Worker | null
  /** its thread has loaded the parser */
  ready: boolean
  /** sent and not answered: the thread parses the first, and there may be a second */
  batches: ReadonlyArray<Batch>
  /**
   * Shared with its thread, `BATCH_MAX_BYTES` each, used again and again: a new buffer for every batch makes the thread
   * collect all of its heap every 45 mails of 100 kB.
   */
  memories: Array<SharedArrayBuffer>
  timer: NodeJS.Timeout | undefined
}

export interface Workers {
  /** Calls `settle` once, with all mails in their order; the function returned takes back those that still wait. */
  readonly submit: (
    raws: ReadonlyArray<Uint8Array>,
    patience: Patience,
    settle: (mails: ReadonlyArray<ParsedMail | null>) => void,
  ) => () => void
  readonly close: () => Promise<void>
}

const travelsAlone = (job: Job): boolean =>
  job.raw.length > SMALL_BYTES || job.suspect || job.headersOnly !== null

/**
 * Replaces a worker that hangs or dies. Mails that it had not begun are parsed by another one. A prompt mail that it
 * was reading is given up. A patient one is tried again alone, then with its header only, and comes back unread if
 * even that fails.
 */
export const startWorkers = (options: WorkersOptions): Workers => {
  const queues: Record<Patience, Array<Job>> = { prompt: [], patient: [] }
  const bytesInFlight: Record<Patience, number> = { prompt: 0, patient: 0 }
  const maxBytes: Readonly<Record<Patience, number>> = { prompt: PROMPT_MAX_BYTES, patient: options.maxBytes }
  const slotsFor = (serves: Patience) =>
    Array.from({ length: options.workers[serves] }, (): Slot => ({
      serves,
      thread: null,
      ready: false,
      batches: [],
      memories: [],
      timer: undefined,
    }))
  const slots = [...slotsFor("prompt"), ...slotsFor("patient")]
  let closed = false

  const spawn = (slot: Slot): Worker => {
    const thread = new Worker(options.workerFile, {
      resourceLimits: { maxOldGenerationSizeMb: options.maxHeapMb },
      env: {},
      execArgv: [],
    })
    const lost = (reason: string) => {
      if (slot.thread === thread) replace(slot, reason)
    }
    thread.on("message", (reply: ParseReply | typeof READY) => {
      if (reply === READY) {
        slot.ready = true
        return watch(slot)
      }
      const batch = release(slot)
      if (batch?.memory) slot.memories.push(batch.memory)
      const jobs = batch?.jobs ?? []
      if (slot.batches.length === 0) thread.unref()
      else watch(slot)
      dispatch()
      for (const [index, job] of jobs.entries()) {
        const mail = reply.mails[index]
        job.settle(mail === undefined ? unreadableMail("the parser gave no answer") : received(mail))
      }
    })
    thread.on("error", (error) => lost(`the parser failed: ${error.message}`))
    thread.on("exit", () => lost("the parser stopped"))
    return thread
  }

  /** Replaces the thread when its first batch makes no progress within the deadline. */
  const watch = (slot: Slot): void => {
    clearTimeout(slot.timer)
    const [batch] = slot.batches
    if (batch === undefined) return
    const isPrompt = slot.serves === "prompt"
    const finished = batch.progress.finished()
    const deadline = !slot.ready ? START_DEADLINE : isPrompt ? options.promptDeadline : options.deadline
    slot.timer = setTimeout(() => {
      if (isPrompt && batch.progress.finished() > finished) watch(slot)
      else replace(slot, "parsing took too long")
    }, deadline)
  }

  /** Takes back the first batch. */
  const release = (slot: Slot): Batch | undefined => {
    const [batch, ...others] = slot.batches
    clearTimeout(slot.timer)
    for (const { patience, raw } of batch?.jobs ?? []) bytesInFlight[patience] -= raw.length
    slot.batches = others
    return batch
  }

  /** Few mails go before many: those are somebody's backlog. */
  const enqueue = (patience: Patience, jobs: ReadonlyArray<Job>): void => {
    const queue = queues[patience]
    const larger = queue.findIndex(({ company }) => company > jobs.length)
    queue.splice(larger === -1 ? queue.length : larger, 0, ...jobs)
  }

  const requeue = (jobs: ReadonlyArray<Job>): void => {
    for (const job of jobs.toReversed()) if (job.isWanted()) queues[job.patience].unshift(job)
  }

  /** A mail that was being read when its thread was lost. */
  const retry = (job: Job, isAlone: boolean, reason: string): void => {
    if (job.patience === "prompt") job.settle(null)
    else if (job.headersOnly !== null) job.settle(unreadableMail(reason))
    else if (isAlone) requeue([{ ...job, headersOnly: reason }])
    else requeue([{ ...job, suspect: true }])
  }

  /** A mail whose thread was lost before it began to read it. */
  const startAgain = (job: Job, isAlone: boolean, reason: string): void => {
    const again = { ...job, lostStarts: job.lostStarts + 1 }
    if (again.lostStarts < LOST_STARTS_MAX) requeue([again])
    else retry(again, isAlone, reason)
  }

  const replace = (slot: Slot, reason: string): void => {
    const { thread } = slot
    slot.thread = null
    slot.ready = false
    // The thread may read until it has ended.
    slot.memories = []
    void thread?.terminate()
    const lost = release(slot)
    // The thread had not looked at the batch behind the first.
    requeue(release(slot)?.jobs ?? [])
    const jobs = [...(lost?.jobs.entries() ?? [])]
    for (const [index, job] of jobs.toReversed()) {
      const isAlone = jobs.length === 1
      if (lost?.progress.isBegun(index) === true) retry(job, isAlone, reason)
      else startAgain(job, isAlone, reason)
    }
    dispatch()
  }

  const fits = ({ patience, raw }: Job): boolean =>
    bytesInFlight[patience] === 0 || bytesInFlight[patience] + raw.length <= maxBytes[patience]

  /** The next mails for one worker: a fair share of the small ones that wait, or one that travels alone. */
  const nextJobs = (patience: Patience): ReadonlyArray<Job> => {
    const queue = queues[patience]
    const share = Math.min(BATCH_MAX_MAILS, Math.ceil(queue.length / options.workers[patience]))
    const batch: Array<Job> = []
    let bytes = 0
    for (let job = queue[0]; job !== undefined && fits(job) && batch.length < share; job = queue[0]) {
      bytes += job.raw.length
      if (batch.length > 0 && (travelsAlone(job) || bytes > BATCH_MAX_BYTES)) break
      queue.shift()
      batch.push(job)
      bytesInFlight[job.patience] += job.raw.length
      if (travelsAlone(job)) break
    }
    return batch
  }

  /** Whether a thread gets its next batch before it asks: while it parses small mails it then never waits for us. */
  const mayTakeSecond = ({ batches: [first, ...others] }: Slot): boolean =>
    first !== undefined && others.length === 0 && !first.jobs.some(travelsAlone)

  const send = (slot: Slot, jobs: ReadonlyArray<Job>): void => {
    const raws = jobs.map((job) => job.raw)
    const size = sizeOf(raws)
    const memory =
      size > BATCH_MAX_BYTES ? null : (slot.memories.pop() ?? new SharedArrayBuffer(BATCH_MAX_BYTES))
    const own = new ArrayBuffer(memory === null ? size : 0)
    const batch: Batch = { jobs, progress: progressOf(new SharedArrayBuffer(jobs.length)), memory }
    slot.thread ??= spawn(slot)
    slot.batches = [...slot.batches, batch]
    if (slot.batches.length === 1) watch(slot)
    const request: ParseRequest = {
      mails: copiedInto(memory ?? own, raws),
      headersOnly: jobs[0]?.headersOnly ?? null,
      progress: batch.progress.shared,
    }
    slot.thread.ref()
    slot.thread.postMessage(request, [own])
  }

  const dispatch = (): void => {
    if (closed) return
    const idle = slots.filter(({ batches }) => batches.length === 0)
    for (const slot of [...idle, ...slots.filter(mayTakeSecond)]) {
      const jobs = nextJobs(slot.serves)
      if (jobs.length > 0) send(slot, jobs)
    }
  }

  return {
    submit: (raws, patience, settle) => {
      let wanted = true
      const mails = new Map<number, ParsedMail | null>()
      const jobs = raws.map((raw, index): Job => ({
        raw,
        patience,
        settle: (mail) => {
          mails.set(index, mail)
          if (wanted && mails.size === raws.length) settle(raws.map((_, at) => mails.get(at) ?? null))
        },
        isWanted: () => wanted,
        company: raws.length,
        suspect: false,
        headersOnly: null,
        lostStarts: 0,
      }))
      enqueue(patience, jobs)
      dispatch()
      return () => {
        wanted = false
        queues[patience] = queues[patience].filter((job) => job.isWanted())
      }
    },
    close: async () => {
      closed = true
      const threads = slots.flatMap(({ thread }) => thread ?? [])
      for (const slot of slots) {
        slot.thread = null
        clearTimeout(slot.timer)
      }
      await Promise.all(threads.map((thread) => thread.terminate()))
    },
  }
}
