/** `AttachmentText` on worker threads, so that no file, however hostile, blocks the event loop or uses up its memory. */
import { DOCUMENT_DEADLINE, DOCUMENTS_AT_ONCE } from "@mailroom/domain"
import { AttachmentText, type Document, lostThreads, type ReportLostThread } from "@mailroom/engine"
import { Duration, Effect, Layer } from "effect"
import { superviseThread } from "../threads/supervisedThread.js"
import { outcome } from "./AttachmentTextInline.js"
import type { DocumentResult } from "./readDocument.js"
import type { ReadReply, ReadRequest } from "./serve.js"

export interface AttachmentTextThreadsOptions {
  /** threads, started when first needed. Default: as many files as the engine reads at once */
  readonly threads?: number
  /** how long one file may take before its thread is replaced. Default 20 seconds */
  readonly deadline?: Duration.DurationInput
  /** JavaScript heap of one thread in MB; `limitBuffers` bounds its buffers. Default 256 */
  readonly maxHeapMb?: number
  /** another worker program, which calls `serve`; for tests */
  readonly workerFile?: URL
}

interface Job {
  readonly document: Document
  readonly settle: (result: DocumentResult) => void
}

/** A file whose thread crashes has needed too much memory; the thread is replaced, and no other file is affected. */
const startThreads = (options: Required<AttachmentTextThreadsOptions>, report: ReportLostThread) => {
  const waiting: Array<Job> = []

  const startThread = () => {
    const thread = superviseThread<Job, ReadRequest, ReadReply>({
      workerFile: options.workerFile,
      maxHeapMb: options.maxHeapMb,
      name: "the document thread",
      task: "reading a document",
      // pdf.js writes to the console.
      isSilent: true,
      deadline: (): number | null =>
        thread.inFlight().length > 0 ? Duration.toMillis(options.deadline) : null,
      progress: () => 0,
      onMessage: ({ id, result }) => {
        thread.finish(id)?.settle(result)
        dispatch()
      },
      onLost: (jobs, reason, isLate) => {
        const documents = jobs.map(({ document }) => document)
        report(reason, {
          types: documents.map(({ contentType }) => contentType),
          bytes: documents.reduce((sum, { bytes }) => sum + bytes.length, 0),
        })
        for (const { settle } of jobs)
          settle({ kind: "unreadable", reason: isLate ? "took too long" : "too large" })
        dispatch()
      },
    })
    return thread
  }
  const threads = Array.from({ length: options.threads }, startThread)

  const dispatch = (): void => {
    for (const thread of threads) {
      const job = thread.inFlight().length === 0 ? waiting.shift() : undefined
      if (job === undefined) continue
      const bytes = new Uint8Array(job.document.bytes)
      thread.send(job, (id) => ({ id, document: { ...job.document, bytes } }), [bytes.buffer])
    }
  }

  return {
    /** Calls `settle` once. The function returned withdraws a file that still waits. */
    read: (document: Document, settle: Job["settle"]) => {
      const job = { document, settle }
      waiting.push(job)
      dispatch()
      return () => {
        const at = waiting.indexOf(job)
        if (at !== -1) waiting.splice(at, 1)
      }
    },
    close: async () => {
      waiting.length = 0
      await Promise.all(threads.map(({ close }) => close()))
    },
  }
}

/** Closing the scope stops the threads. Idle threads do not keep the process alive. */
export const layer = (options: AttachmentTextThreadsOptions = {}): Layer.Layer<AttachmentText> =>
  Layer.scoped(
    AttachmentText,
    Effect.acquireRelease(
      Effect.map(lostThreads("documents"), (report) =>
        startThreads(
          {
            threads: options.threads ?? DOCUMENTS_AT_ONCE,
            deadline: options.deadline ?? DOCUMENT_DEADLINE,
            maxHeapMb: options.maxHeapMb ?? 256,
            workerFile: options.workerFile ?? new URL("./documentWorker.js", import.meta.url),
          },
          report,
        ),
      ),
      ({ close }) => Effect.promise(close),
    ).pipe(
      Effect.map(({ read }) => ({
        read: (document) =>
          Effect.flatMap(
            Effect.async<DocumentResult>((resume) =>
              Effect.sync(read(document, (result) => resume(Effect.succeed(result)))),
            ),
            outcome,
          ),
      })),
    ),
  )
