/** A thread that checks and makes signatures, and what happens when it does not come back. */
import { Worker } from "node:worker_threads"
import type { Ask } from "../authenticating/asking.js"
import type { FromThread, Result, Task, ToThread } from "./exchange.js"

export interface ThreadOptions {
  /** milliseconds that the thread may say nothing while it has work, and no question of its own is open */
  readonly deadline: number
  /** JavaScript heap in MB; buffers do not count */
  readonly maxHeapMb: number
  readonly workerFile: URL
}

/** What the thread works on at one time: so many mails, of so many bytes in all. One larger mail is worked on alone. */
const AT_ONCE = 64
const BYTES_AT_ONCE = 64 * 1024 * 1024

/** milliseconds the thread may take to load, on a machine that has other things to do */
const START_DEADLINE = 60_000

interface Job {
  readonly task: Task
  readonly raw: Uint8Array
  readonly settle: (result: Result) => void
  /** false once nobody waits for the result */
  readonly isWanted: () => boolean
  /** it is on its own now: those it was worked on with did not come back */
  readonly suspect: boolean
}

const wanted = ({ isWanted }: Job): boolean => isWanted()

export interface SignatureThread {
  /** Calls `settle` once; the function returned takes the work back: it is not begun, nor begun again. */
  readonly submit: (task: Task, raw: Uint8Array, settle: (result: Result) => void) => () => void
  readonly close: () => Promise<void>
}

/**
 * Started with the first work, and again after it hung or died: what it was at is then done one by one, so that the one
 * that is to blame fails alone.
 */
export const startThread = (options: ThreadOptions, ask: Ask): SignatureThread => {
  let waiting: Array<Job> = []
  const running = new Map<number, Job>()
  let begun = 0
  let bytes = 0
  let thread: Worker | null = null
  let ready = false
  /** what it asked and was not told yet */
  let questions = 0
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const limit = (): void => {
    clearTimeout(timer)
    if (running.size > 0 && questions === 0)
      timer = setTimeout(() => replace("it took too long"), ready ? options.deadline : START_DEADLINE)
  }

  const replace = (reason: string): void => {
    const lost = thread
    const jobs = [...running.values()]
    thread = null
    ready = false
    questions = 0
    running.clear()
    bytes = 0
    clearTimeout(timer)
    void lost?.terminate()
    const [alone, ...others] = jobs
    if (others.length === 0) alone?.settle({ kind: "failed", reason })
    else waiting = [...jobs.filter(wanted).map((job) => ({ ...job, suspect: true })), ...waiting]
    dispatch()
  }

  const answer = async (
    asker: Worker,
    { question, type, name }: Extract<FromThread, { readonly question: number }>,
  ): Promise<void> => {
    questions += 1
    // While everything closes nobody answers any more.
    const reply: ToThread = { question, answer: await ask(type, name).catch(() => "unavailable" as const) }
    if (thread !== asker) return
    questions -= 1
    asker.postMessage(reply)
    limit()
  }

  const hear = (from: Worker, message: FromThread): void => {
    if (thread !== from) return
    if (message === "ready") ready = true
    else if ("question" in message) {
      void answer(from, message)
    } else {
      const job = running.get(message.id)
      running.delete(message.id)
      bytes -= job?.raw.length ?? 0
      if (running.size === 0) from.unref()
      job?.settle(message.result)
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

  const fits = ({ raw, suspect }: Job): boolean =>
    running.size === 0 ||
    (!suspect &&
      ![...running.values()].some((job) => job.suspect) &&
      running.size < AT_ONCE &&
      bytes + raw.length <= BYTES_AT_ONCE)

  const dispatch = (): void => {
    if (closed) return
    for (let job = waiting[0]; job !== undefined && fits(job); job = waiting[0]) {
      waiting.shift()
      thread ??= spawn()
      running.set(++begun, job)
      bytes += job.raw.length
      if (running.size === 1) {
        thread.ref()
        limit()
      }
      const raw = new Uint8Array(job.raw)
      const work: ToThread = { id: begun, task: job.task, raw }
      thread.postMessage(work, [raw.buffer])
    }
  }

  return {
    submit: (task, raw, settle) => {
      let isWanted = true
      waiting.push({ task, raw, settle, isWanted: () => isWanted, suspect: false })
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
