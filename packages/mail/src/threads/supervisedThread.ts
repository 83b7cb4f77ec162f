/**
 * A worker thread under supervision: started with its first request, replaced after a crash, an exit or a missed
 * deadline. Every request in flight ends once: the owner calls `finish` for its reply, or hears of it in `onLost` and
 * decides whether to fail it or to send it again.
 */
import { type TransferListItem, Worker } from "node:worker_threads"

/** A thread posts this once it has loaded. */
export const READY = "ready"

/** Milliseconds a thread may take to load; a busy machine needs many seconds. */
const START_DEADLINE = 60_000

export interface ThreadOptions<Request, ToThread, FromThread> {
  readonly workerFile: URL
  /** JavaScript heap in MB; buffers do not count */
  readonly maxHeapMb: number
  /** for the reason in `onLost`: "{name} stopped", "{task} took too long" */
  readonly name: string
  readonly task: string
  /** whether to discard what the thread writes to the console; otherwise it goes to the console of the process */
  readonly isSilent: boolean
  /** Milliseconds until `progress` has to grow; null while the thread has nothing to do. */
  readonly deadline: () => number | null
  /** Grows with the work done. A constant makes the deadline one for the next message of the thread. */
  readonly progress: () => number
  /** `respond` posts to the thread that sent the message; false when that thread was replaced since. */
  readonly onMessage: (message: FromThread, respond: (answer: ToThread) => boolean) => void
  /** The requests that were in flight, in the order of sending. `isLate`: the thread missed its deadline. */
  readonly onLost: (requests: ReadonlyArray<Request>, reason: string, isLate: boolean) => void
}

export interface SupervisedThread<Request, ToThread> {
  /** in the order of sending */
  readonly inFlight: () => ReadonlyArray<Request>
  readonly find: (id: number) => Request | undefined
  /** `message` makes the message with the id of the request; `transfer` goes to the thread without a copy. */
  readonly send: (
    request: Request,
    message: (id: number) => ToThread,
    transfer?: ReadonlyArray<TransferListItem>,
  ) => void
  /** Takes a request out of flight, for its reply. undefined for an unknown id. */
  readonly finish: (id: number) => Request | undefined
  /** Starts the deadline again. Messages of the thread do so by themselves. */
  readonly restartDeadline: () => void
  /** Stops the thread. Requests in flight get no reply. */
  readonly close: () => Promise<void>
}

/** An idle thread does not keep the process alive. */
export const superviseThread = <Request, ToThread, FromThread>(
  options: ThreadOptions<Request, ToThread, FromThread>,
): SupervisedThread<Request, ToThread> => {
  const requests = new Map<number, Request>()
  let lastId = 0
  let thread: Worker | null = null
  let isReady = false
  let timer: NodeJS.Timeout | null = null

  const stopDeadline = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
  }

  const restartDeadline = (): void => {
    stopDeadline()
    const deadline = options.deadline()
    if (thread === null || deadline === null) return
    const before = options.progress()
    timer = setTimeout(
      () => {
        if (options.progress() > before) restartDeadline()
        else lose(`${options.task} took too long`, true)
      },
      isReady ? deadline : START_DEADLINE,
    )
  }

  const lose = (reason: string, isLate = false): void => {
    const lost = [...requests.values()]
    stopDeadline()
    void thread?.terminate()
    thread = null
    isReady = false
    requests.clear()
    options.onLost(lost, reason, isLate)
  }

  const start = (): Worker => {
    const started = new Worker(options.workerFile, {
      resourceLimits: { maxOldGenerationSizeMb: options.maxHeapMb },
      env: {},
      execArgv: [],
      stdout: options.isSilent,
      stderr: options.isSilent,
    })
    // Without a reader, the output would pile up in the thread.
    if (options.isSilent) {
      started.stdout.resume()
      started.stderr.resume()
    }
    const respond = (answer: ToThread): boolean => {
      if (thread !== started) return false
      started.postMessage(answer)
      return true
    }
    started.on("message", (message: FromThread | typeof READY) => {
      if (thread !== started) return
      if (message === READY) isReady = true
      else options.onMessage(message, respond)
      restartDeadline()
    })
    started.on("error", ({ message }) => {
      if (thread === started) lose(`${options.name} failed: ${message}`)
    })
    started.on("exit", () => {
      if (thread === started) lose(`${options.name} stopped`)
    })
    return started
  }

  return {
    inFlight: () => [...requests.values()],
    find: (id) => requests.get(id),
    send: (request, message, transfer = []) => {
      thread ??= start()
      requests.set(++lastId, request)
      thread.ref()
      if (timer === null) restartDeadline()
      thread.postMessage(message(lastId), transfer)
    },
    finish: (id) => {
      const request = requests.get(id)
      requests.delete(id)
      if (requests.size === 0) thread?.unref()
      return request
    },
    restartDeadline,
    close: async () => {
      const last = thread
      stopDeadline()
      thread = null
      await last?.terminate()
    },
  }
}
