/** A thread that checks and makes signatures, and what happens when it does not come back. */
import { Worker } from "node:worker_threads"
import type { MailQuestions } from "../authenticating/questions.js"
import type { FromThread, Result, Task, ToThread } from "./exchange.js"

export interface ThreadOptions {
  /** milliseconds that the thread may say nothing while it works on a mail that waits for no answer */
  readonly deadline: number
  /** JavaScript heap in MB; buffers do not count */
  readonly maxHeapMb: number
  readonly workerFile: URL
}

/**
 * What the thread works on at one time: so many mails, of so many bytes in all. One larger mail is worked on alone. A
 * mail that waits for an answer from DNS is not counted here, so silent name servers keep no other mail waiting.
 */
const AT_ONCE = 64
const BYTES_AT_ONCE = 64 * 1024 * 1024

/** What waits for answers: so many mails, of so many bytes. Beyond, the mail that began first waits no longer. */
const ASLEEP_MAX = 512
const ASLEEP_BYTES = 64 * 1024 * 1024

/** milliseconds the thread may take to load, on a machine that has other things to do */
const START_DEADLINE = 60_000

/** `questions` answers what the work asks of DNS. */
export interface Work {
  readonly task: Task
  readonly raw: Uint8Array
  readonly questions: MailQuestions
}

interface Job extends Work {
  readonly settle: (result: Result) => void
  /** false once nobody waits for the result */
  readonly isWanted: () => boolean
  /** it is on its own now: those it was worked on with did not come back */
  readonly suspect: boolean
}

/** A job that the thread has; it is asleep while questions of it are open. */
interface RunningJob {
  readonly job: Job
  openQuestions: number
}

const wanted = ({ isWanted }: Job): boolean => isWanted()

const isAsleep = ({ openQuestions }: RunningJob): boolean => openQuestions > 0

const bytesOf = (jobs: ReadonlyArray<RunningJob>): number =>
  jobs.reduce((sum, { job }) => sum + job.raw.length, 0)

/** Gives work to a thread, with a copy of the mail unless that is in shared memory. */
const post = (thread: Worker, work: Extract<ToThread, { readonly task: Task }>): void => {
  if (work.raw.buffer instanceof SharedArrayBuffer) return thread.postMessage(work)
  const raw = new Uint8Array(work.raw)
  thread.postMessage({ ...work, raw }, [raw.buffer])
}

export interface SignatureThread {
  /** Calls `settle` once; the function returned takes the work back: it is not begun, nor begun again. */
  readonly submit: (work: Work, settle: (result: Result) => void) => () => void
  readonly close: () => Promise<void>
}

/**
 * Started with the first work, and again after it hung or died: what it was at is then done one by one, so that the one
 * that is to blame fails alone.
 */
export const startThread = (options: ThreadOptions): SignatureThread => {
  let waiting: Array<Job> = []
  /** in the order in which they began */
  const running = new Map<number, RunningJob>()
  let begun = 0
  let thread: Worker | null = null
  let ready = false
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const awake = (): ReadonlyArray<RunningJob> => [...running.values()].filter((each) => !isAsleep(each))

  const limit = (): void => {
    clearTimeout(timer)
    if (awake().length > 0)
      timer = setTimeout(() => replace("it took too long"), ready ? options.deadline : START_DEADLINE)
  }

  const replace = (reason: string): void => {
    const lost = thread
    // A job that waits for an answer does nothing, so it is not to blame while another does something; nor is one that
    // woke beside a suspect, which was begun alone.
    const all = [...running.values()]
    const busy = awake()
    const suspects = busy.filter(({ job }) => job.suspect)
    const blamed = suspects.length > 0 ? suspects : busy.length > 0 ? busy : all
    const innocent = all.filter((each) => !blamed.includes(each)).map(({ job }) => job)
    const jobs = blamed.map(({ job }) => job)
    thread = null
    ready = false
    running.clear()
    clearTimeout(timer)
    void lost?.terminate()
    const [alone, ...others] = jobs
    waiting = [...innocent.filter(wanted), ...waiting]
    if (others.length === 0) alone?.settle({ kind: "failed", reason })
    else waiting = [...jobs.filter(wanted).map((job) => ({ ...job, suspect: true })), ...waiting]
    dispatch()
  }

  /** Ends the waiting of the jobs that began first, where too many are asleep. */
  const wakeBeyondBounds = (): void => {
    const asleep = [...running.values()].filter(isAsleep)
    let bytes = bytesOf(asleep)
    let count = asleep.length
    for (const { job } of asleep) {
      if (count <= ASLEEP_MAX && (bytes <= ASLEEP_BYTES || count === 1)) return
      count -= 1
      bytes -= job.raw.length
      job.questions.end()
    }
  }

  const answer = async (
    asker: Worker,
    asking: RunningJob,
    { question, type, name }: Extract<FromThread, { readonly question: number }>,
  ): Promise<void> => {
    asking.openQuestions += 1
    wakeBeyondBounds()
    const reply: ToThread = { question, answer: await asking.job.questions.ask(type, name) }
    if (thread !== asker) return
    asking.openQuestions -= 1
    asker.postMessage(reply)
    limit()
  }

  const hear = (from: Worker, message: FromThread): void => {
    if (thread !== from) return
    if (message === "ready") ready = true
    else {
      const told = running.get(message.id)
      if ("question" in message) {
        if (told !== undefined) void answer(from, told, message)
      } else {
        running.delete(message.id)
        if (running.size === 0) from.unref()
        told?.job.settle(message.result)
      }
      dispatch()
    }
    limit()
  }

  const spawn = (): Worker => {
    const started = new Worker(options.workerFile, {
      resourceLimits: { maxOldGenerationSizeMb: options.maxHeapMb },
      env: {},
      execArgv: [],
      // The library writes to the console; nobody's log is to have it.
      stdout: true,
      stderr: true,
    })
    const lost = (reason: string) => {
      if (thread === started) replace(reason)
    }
    // What nobody reads would pile up in the thread.
    started.stdout.resume()
    started.stderr.resume()
    started.on("message", (message: FromThread) => hear(started, message))
    started.on("error", (error) => lost(error.message))
    started.on("exit", () => lost("it stopped"))
    return started
  }

  const fits = ({ raw, suspect }: Job): boolean => {
    const busy = awake()
    // One suspect at a time, also while it waits for an answer: else the next one would be blamed together with it.
    if (suspect) return busy.length === 0 && ![...running.values()].some(({ job }) => job.suspect)
    if (busy.some(({ job }) => job.suspect)) return false
    if (busy.length === 0) return true
    return busy.length < AT_ONCE && bytesOf(busy) + raw.length <= BYTES_AT_ONCE
  }

  const dispatch = (): void => {
    if (closed) return
    for (let job = waiting[0]; job !== undefined && fits(job); job = waiting[0]) {
      waiting.shift()
      thread ??= spawn()
      running.set(++begun, { job, openQuestions: 0 })
      if (running.size === 1) thread.ref()
      if (awake().length === 1) limit()
      post(thread, { id: begun, task: job.task, raw: job.raw })
    }
  }

  return {
    submit: (work, settle) => {
      let isWanted = true
      waiting.push({ ...work, settle, isWanted: () => isWanted, suspect: false })
      dispatch()
      return () => {
        isWanted = false
        waiting = waiting.filter(wanted)
      }
    },
    close: async () => {
      closed = true
      clearTimeout(timer)
      const last = thread
      thread = null
      await last?.terminate()
    },
  }
}
