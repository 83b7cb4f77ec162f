/** Jobs for the signature thread: which it has, which wait, and which fail when it crashes or hangs. */
import type { ReportLostThread } from "@mailroom/engine"
import type { MailLookups } from "../authenticating/resolver.js"
import { superviseThread } from "../threads/supervisedThread.js"
import type { FromThread, Result, Task, ToThread } from "./serve.js"

export interface SignatureJobsOptions {
  /** milliseconds that the thread may take for its next message while a mail waits for no lookup */
  readonly deadline: number
  /** JavaScript heap in MB; buffers do not count */
  readonly maxHeapMb: number
  readonly workerFile: URL
  readonly report: ReportLostThread
}

/**
 * Mails, and bytes of them, that the thread works on at the same time; one larger mail is worked on alone. A mail that
 * waits for a DNS lookup does not count, so silent name servers do not hold up other mail.
 */
const WORKING_MAX = 64
const WORKING_MAX_BYTES = 64 * 1024 * 1024

/** Mails, and bytes of them, that wait for DNS lookups. Beyond, the lookups of the oldest mails are cancelled. */
const LOOKING_UP_MAX = 512
const LOOKING_UP_MAX_BYTES = 64 * 1024 * 1024

export interface SignatureJob {
  readonly task: Task
  readonly raw: Uint8Array
  readonly lookups: MailLookups
}

interface Job extends SignatureJob {
  readonly settle: (result: Result) => void
  /** false once the caller was interrupted */
  readonly isWanted: () => boolean
  /** the thread was lost while it worked on this job among others: it is tried again alone */
  readonly isSuspect: boolean
}

/** A job that the thread has. */
interface RunningJob {
  readonly job: Job
  openLookups: number
}

const isWanted = (job: Job): boolean => job.isWanted()

const isLookingUp = ({ openLookups }: RunningJob): boolean => openLookups > 0

const isSuspect = ({ job }: RunningJob): boolean => job.isSuspect

const bytesOf = (jobs: ReadonlyArray<RunningJob>): number =>
  jobs.reduce((sum, { job }) => sum + job.raw.length, 0)

export interface SignatureJobs {
  /** Calls `settle` once. The function returned withdraws the job: it is not started, or not tried again. */
  readonly submit: (job: SignatureJob, settle: (result: Result) => void) => () => void
  readonly close: () => Promise<void>
}

/** When the thread is lost, the jobs it worked on are tried again one by one, so that only the one to blame fails. */
export const startSignatureJobs = (options: SignatureJobsOptions): SignatureJobs => {
  let waiting: Array<Job> = []
  let isClosed = false

  const thread = superviseThread<RunningJob, ToThread, FromThread>({
    workerFile: options.workerFile,
    maxHeapMb: options.maxHeapMb,
    name: "the signature thread",
    task: "checking or making a signature",
    // mailauth writes to the console.
    isSilent: true,
    deadline: () => (working().length > 0 ? options.deadline : null),
    progress: () => 0,
    onMessage: (message, respond) => {
      if ("lookup" in message) {
        const running = thread.find(message.id)
        if (running !== undefined) void answer(running, message, respond)
      } else thread.finish(message.id)?.job.settle(message.result)
      dispatch()
    },
    onLost: (running, reason) => {
      const tasks = [...new Set(running.map(({ job }) => job.task.kind))]
      options.report(reason, { tasks, mails: running.length, bytes: bytesOf(running) })
      // A job that waits for a lookup is not to blame while another one works; nor is one beside a suspect, whose lookup
      // ended after the suspect started.
      const busy = running.filter((one) => !isLookingUp(one))
      const suspects = busy.filter(isSuspect)
      const blamed = suspects.length > 0 ? suspects : busy.length > 0 ? busy : running
      const others = running.filter((one) => !blamed.includes(one)).map(({ job }) => job)
      const jobs = blamed.map(({ job }) => job)
      waiting = [...others.filter(isWanted), ...waiting]
      if (jobs.length === 1) jobs[0]?.settle({ kind: "failed", reason })
      else waiting = [...jobs.filter(isWanted).map((job) => ({ ...job, isSuspect: true })), ...waiting]
      dispatch()
    },
  })

  const working = (): ReadonlyArray<RunningJob> => thread.inFlight().filter((one) => !isLookingUp(one))

  const cancelLookupsBeyondMax = (): void => {
    const lookingUp = thread.inFlight().filter(isLookingUp)
    let bytes = bytesOf(lookingUp)
    let count = lookingUp.length
    for (const { job } of lookingUp) {
      if (count <= LOOKING_UP_MAX && (bytes <= LOOKING_UP_MAX_BYTES || count === 1)) return
      count -= 1
      bytes -= job.raw.length
      job.lookups.cancel()
    }
  }

  const answer = async (
    running: RunningJob,
    { lookup, type, name }: Extract<FromThread, { readonly lookup: number }>,
    respond: (answer: ToThread) => boolean,
  ): Promise<void> => {
    running.openLookups += 1
    cancelLookupsBeyondMax()
    const found = await running.job.lookups.lookup(type, name)
    running.openLookups -= 1
    if (respond({ lookup, answer: found })) thread.restartDeadline()
  }

  const fits = ({ raw, isSuspect: isAlone }: Job): boolean => {
    const busy = working()
    // One suspect at a time, also while it waits for a lookup: otherwise the next one would be blamed together with it.
    if (isAlone) return busy.length === 0 && !thread.inFlight().some(isSuspect)
    if (busy.some(isSuspect)) return false
    if (busy.length === 0) return true
    return busy.length < WORKING_MAX && bytesOf(busy) + raw.length <= WORKING_MAX_BYTES
  }

  /** A mail in shared memory is not copied. */
  const send = (job: Job): void => {
    const isShared = job.raw.buffer instanceof SharedArrayBuffer
    const raw = isShared ? job.raw : new Uint8Array(job.raw)
    const transfer = raw.buffer instanceof ArrayBuffer ? [raw.buffer] : []
    thread.send({ job, openLookups: 0 }, (id) => ({ id, task: job.task, raw }), transfer)
  }

  const dispatch = (): void => {
    if (isClosed) return
    for (let job = waiting[0]; job !== undefined && fits(job); job = waiting[0]) {
      waiting.shift()
      send(job)
    }
  }

  return {
    submit: (given, settle) => {
      let wanted = true
      waiting.push({ ...given, settle, isWanted: () => wanted, isSuspect: false })
      dispatch()
      return () => {
        wanted = false
        waiting = waiting.filter(isWanted)
      }
    },
    close: () => {
      isClosed = true
      return thread.close()
    },
  }
}
