/** Worker threads that parse mails, and what happens when one of them does not come back. */
import { type ParsedMail, unreadableMail } from "@mailroom/domain"
import { Worker } from "node:worker_threads"
import { READY, type ParseReply, type ParseRequest, progressOf, received } from "./exchange.js"
import { copiedInto, sizeOf } from "./memory.js"
import {
  areFew,
  BATCH_MAX_BYTES,
  type Job,
  makeParseQueue,
  type Patience,
  travelsAlone,
} from "./parseQueue.js"

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

/** Of the memory that a batch of mails is put in; a larger mail has a buffer of its own. */
const MEMORY_BYTES: Readonly<Record<Patience, number>> = { prompt: BATCH_MAX_BYTES, patient: 8 * 1024 * 1024 }
/** Raw bytes of prompt mails being parsed at any moment. */
const PROMPT_MAX_BYTES = 16 * 1024 * 1024
/** Milliseconds a worker may take to load, on a machine that has other things to do. */
const START_DEADLINE = 60_000
/** Threads that may stop before they begin a prompt mail, until that mail is given up. */
const LOST_STARTS_MAX = 3

interface Batch {
  /** its number, which the answer names */
  readonly id: number
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
  /**
   * Sent and not answered: the thread parses the first, and there may be a second. Few mails may come third, and are read
   * before the rest of the others.
   */
  batches: ReadonlyArray<Batch>
  /**
   * Shared with its thread, `MEMORY_BYTES` each, used again and again: a new buffer for every batch makes the thread
   * collect all of its heap every 45 mails of 100 kB, and for every mail of 5 MB.
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

/**
 * Replaces a worker that hangs or dies. Mails that it had not begun are parsed by another one. A prompt mail that it
 * was reading is given up. A patient one is tried again alone, then with its header only, and comes back unread if
 * even that fails.
 */
export const startWorkers = (options: WorkersOptions): Workers => {
  const queues = {
    prompt: makeParseQueue({ maxBytes: PROMPT_MAX_BYTES, threads: options.workers.prompt }),
    patient: makeParseQueue({ maxBytes: options.maxBytes, threads: options.workers.patient }),
  }
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
  let batchesSent = 0

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
      const batch = release(slot, (sent) => sent.id === reply.id)
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

  /** How many of the mails that a thread has are finished. */
  const finishedBy = ({ batches }: Slot): number =>
    batches.reduce((sum, { progress }) => sum + progress.finished(), 0)

  /** Replaces the thread when it makes no progress within the deadline. */
  const watch = (slot: Slot): void => {
    clearTimeout(slot.timer)
    if (slot.batches.length === 0) return
    const isPrompt = slot.serves === "prompt"
    const finished = finishedBy(slot)
    const deadline = !slot.ready ? START_DEADLINE : isPrompt ? options.promptDeadline : options.deadline
    slot.timer = setTimeout(() => {
      if (isPrompt && finishedBy(slot) > finished) watch(slot)
      else replace(slot, "parsing took too long")
    }, deadline)
  }

  /** Takes back the first such batch. */
  const release = (slot: Slot, isMeant: (batch: Batch) => boolean): Batch | undefined => {
    const batch = slot.batches.find(isMeant)
    clearTimeout(slot.timer)
    queues[slot.serves].finished(batch?.jobs ?? [])
    slot.batches = slot.batches.filter((other) => other !== batch)
    return batch
  }

  /** A mail that was being read when its thread was lost. */
  const retry = (job: Job, isAlone: boolean, reason: string): void => {
    const queue = queues[job.patience]
    if (job.patience === "prompt") job.settle(null)
    else if (job.headersOnly !== null) job.settle(unreadableMail(reason))
    else if (isAlone) queue.putBack([{ ...job, headersOnly: reason }])
    else queue.putBack([{ ...job, suspect: true }])
  }

  /** A mail whose thread was lost before it began to read it. */
  const startAgain = (job: Job, isAlone: boolean, reason: string): void => {
    const again = { ...job, lostStarts: job.lostStarts + 1 }
    if (again.lostStarts < LOST_STARTS_MAX) queues[job.patience].putBack([again])
    else retry(again, isAlone, reason)
  }

  const hasBegun = ({ jobs, progress }: Batch): boolean => jobs.some((_, index) => progress.isBegun(index))

  const replace = (slot: Slot, reason: string): void => {
    const { thread } = slot
    slot.thread = null
    slot.ready = false
    // The thread may read until it has ended.
    slot.memories = []
    void thread?.terminate()
    const lost = release(slot, slot.batches.some(hasBegun) ? hasBegun : () => true)
    // What the thread was not reading.
    for (const other of slot.batches.toReversed()) {
      release(slot, (batch) => batch === other)
      queues[slot.serves].putBack(other.jobs)
    }
    const jobs = [...(lost?.jobs.entries() ?? [])]
    for (const [index, job] of jobs.toReversed()) {
      const isAlone = jobs.length === 1
      if (lost?.progress.isBegun(index) === true) retry(job, isAlone, reason)
      else startAgain(job, isAlone, reason)
    }
    dispatch()
  }

  /** The next mails for a thread that has some, or none: while it parses small mails it never waits for us. */
  const nextFor = ({ serves, batches }: Slot): ReadonlyArray<Job> => {
    const queue = queues[serves]
    if (batches.length === 0) return queue.take()
    if (batches.some(({ jobs }) => jobs.some(travelsAlone))) return []
    if (batches.length === 1) return queue.take()
    return batches.some(({ jobs }) => areFew(jobs)) ? [] : queue.takeFew()
  }

  const send = (slot: Slot, jobs: ReadonlyArray<Job>): void => {
    const raws = jobs.map((job) => job.raw)
    const size = sizeOf(raws)
    const room = MEMORY_BYTES[slot.serves]
    const memory = size > room ? null : (slot.memories.pop() ?? new SharedArrayBuffer(room))
    const own = new ArrayBuffer(memory === null ? size : 0)
    const progress = progressOf(new SharedArrayBuffer(jobs.length))
    const batch: Batch = { id: batchesSent++, jobs, progress, memory }
    slot.thread ??= spawn(slot)
    slot.batches = [...slot.batches, batch]
    if (slot.batches.length === 1) watch(slot)
    const request: ParseRequest = {
      id: batch.id,
      isUrgent: areFew(jobs),
      mails: copiedInto(memory ?? own, raws),
      headersOnly: jobs[0]?.headersOnly ?? null,
      progress: progress.shared,
    }
    slot.thread.ref()
    slot.thread.postMessage(request, [own])
  }

  const dispatch = (): void => {
    if (closed) return
    const byLoad = slots.toSorted((one, other) => one.batches.length - other.batches.length)
    for (const slot of byLoad) {
      const jobs = nextFor(slot)
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
      queues[patience].add(jobs)
      dispatch()
      return () => {
        wanted = false
        queues[patience].dropUnwanted()
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
