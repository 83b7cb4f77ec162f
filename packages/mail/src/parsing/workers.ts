/** Worker threads that parse mails, and what happens when one of them does not come back. */
import { type ParsedMail, unreadableMail } from "@mailroom/domain"
import { Worker } from "node:worker_threads"
import { inOneBuffer, READY, type ParseReply, type ParseRequest, received } from "./exchange.js"

export interface WorkersOptions {
  readonly workers: number
  /** milliseconds one mail may take */
  readonly deadline: number
  /** raw bytes being parsed at any moment; a single larger mail is parsed alone */
  readonly maxBytes: number
  /** JavaScript heap of one worker, in MB; buffers do not count */
  readonly maxHeapMb: number
  readonly workerFile: URL
}

/** Mails up to here travel together, as many as wait, so that one message to a worker serves many. */
const SMALL_BYTES = 64 * 1024
const BATCH_MAX_MAILS = 128
/** milliseconds a worker may take to load, on a machine that has other things to do */
const START_DEADLINE = 60_000

interface Job {
  readonly raw: Uint8Array
  readonly settle: (mail: ParsedMail) => void
  /** false once nobody waits for the answer */
  readonly isWanted: () => boolean
  /** why the mail is on its own now: those it travelled with did not come back */
  readonly suspect: string | null
  /** why only the header is read: the mail itself did not come back */
  readonly headersOnly: string | null
}

interface Slot {
  thread: Worker | null
  /** its thread has loaded the parser */
  ready: boolean
  /** what it was sent and has not answered: it reads the first, and there may be a second */
  batches: ReadonlyArray<ReadonlyArray<Job>>
  timer: NodeJS.Timeout | undefined
}

export interface Workers {
  /** Calls `settle` once, with all mails in their order; the function returned takes back those that still wait. */
  readonly submit: (
    raws: ReadonlyArray<Uint8Array>,
    settle: (mails: ReadonlyArray<ParsedMail>) => void,
  ) => () => void
  readonly close: () => Promise<void>
}

const travelsAlone = (job: Job): boolean =>
  job.raw.length > SMALL_BYTES || job.suspect !== null || job.headersOnly !== null

/**
 * A worker that hangs or dies is replaced. The mails it had are tried again one by one, so that one bad mail costs
 * its companions nothing but time; the bad one comes back with its header only, or unread if even that fails.
 */
export const startWorkers = (options: WorkersOptions): Workers => {
  let queue: Array<Job> = []
  const slots = Array.from({ length: options.workers }, (): Slot => ({
    thread: null,
    ready: false,
    batches: [],
    timer: undefined,
  }))
  let bytesInFlight = 0
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
        return limit(slot)
      }
      const jobs = release(slot)
      if (slot.batches.length === 0) thread.unref()
      else limit(slot)
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

  const limit = (slot: Slot): void => {
    clearTimeout(slot.timer)
    slot.timer = setTimeout(
      () => replace(slot, "parsing took too long"),
      slot.ready ? options.deadline : START_DEADLINE,
    )
  }

  /** Takes back the first batch. */
  const release = (slot: Slot): ReadonlyArray<Job> => {
    const [jobs = [], ...others] = slot.batches
    clearTimeout(slot.timer)
    for (const job of jobs) bytesInFlight -= job.raw.length
    slot.batches = others
    return jobs
  }

  const replace = (slot: Slot, reason: string): void => {
    const { thread } = slot
    slot.thread = null
    slot.ready = false
    void thread?.terminate()
    const jobs = release(slot)
    // What waited behind the first batch is not to blame.
    if (slot.batches.length > 0) queue.unshift(...release(slot))
    for (const job of jobs.toReversed()) {
      if (!job.isWanted()) continue
      if (job.headersOnly !== null) job.settle(unreadableMail(reason))
      else if (jobs.length > 1) queue.unshift({ ...job, suspect: reason })
      else queue.unshift({ ...job, headersOnly: reason })
    }
    dispatch()
  }

  const fits = (job: Job): boolean =>
    bytesInFlight === 0 || bytesInFlight + job.raw.length <= options.maxBytes

  /** The next mails for one worker: a fair share of the small ones that wait, or one that travels alone. */
  const nextBatch = (): ReadonlyArray<Job> => {
    const share = Math.min(BATCH_MAX_MAILS, Math.ceil(queue.length / options.workers))
    const batch: Array<Job> = []
    for (let job = queue[0]; job !== undefined && fits(job) && batch.length < share; job = queue[0]) {
      if (batch.length > 0 && travelsAlone(job)) break
      queue.shift()
      batch.push(job)
      bytesInFlight += job.raw.length
      if (travelsAlone(job)) break
    }
    return batch
  }

  /** Idle threads first; one that reads small mails gets its next batch before it asks, and never waits for us. */
  const slotsWithRoom = (): ReadonlyArray<Slot> => [
    ...slots.filter(({ batches }) => batches.length === 0),
    ...slots.filter(
      ({ batches: [first, ...others] }) => first?.some(travelsAlone) === false && others.length === 0,
    ),
  ]

  const dispatch = (): void => {
    if (closed) return
    for (const slot of slotsWithRoom()) {
      const jobs = nextBatch()
      if (jobs.length === 0) return
      slot.thread ??= spawn(slot)
      slot.batches = [...slot.batches, jobs]
      if (slot.batches.length === 1) limit(slot)
      const { buffer, views } = inOneBuffer(jobs.map((job) => job.raw))
      const request: ParseRequest = { mails: views, headersOnly: jobs[0]?.headersOnly ?? null }
      slot.thread.ref()
      slot.thread.postMessage(request, [buffer])
    }
  }

  return {
    submit: (raws, settle) => {
      let wanted = true
      const mails = new Map<number, ParsedMail>()
      const jobs = raws.map((raw, index): Job => ({
        raw,
        settle: (mail) => {
          mails.set(index, mail)
          if (wanted && mails.size === raws.length) settle(raws.flatMap((_, at) => mails.get(at) ?? []))
        },
        isWanted: () => wanted,
        suspect: null,
        headersOnly: null,
      }))
      queue.push(...jobs)
      dispatch()
      return () => {
        wanted = false
        queue = queue.filter((job) => job.isWanted())
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
