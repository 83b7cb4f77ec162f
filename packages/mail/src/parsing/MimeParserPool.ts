/** `MimeParser` on worker threads: the event loop never waits for a mail, however hostile. */
import { MimeParser } from "@mailroom/engine"
import { type ParsedMail } from "@mailroom/domain"
import { Duration, Effect, Layer } from "effect"
import { startWorkers } from "./workers.js"

export interface MimeParserPoolOptions {
  /** threads; started when first needed. Default 2 */
  readonly workers?: number
  /**
   * how long one mail may take before its worker is replaced. Default 10 seconds. A bad mail is tried at most three
   * times: among others, alone, and for its header
   */
  readonly deadline?: Duration.DurationInput
  /** raw bytes parsed at the same time, because parsing takes some eight times as much memory. Default 64 MB */
  readonly maxBytes?: number
  /** JavaScript heap of one worker in MB. Default 512 */
  readonly maxHeapMb?: number
  /** another worker program, which calls `serve`; for tests */
  readonly workerFile?: URL
}

/**
 * A mail whose worker hangs or dies is tried again with its header only; other mails are not affected. Closing the
 * scope stops the threads; idle threads never keep the process alive.
 */
export const layer = (options: MimeParserPoolOptions = {}): Layer.Layer<MimeParser> =>
  Layer.scoped(
    MimeParser,
    Effect.acquireRelease(
      Effect.sync(() =>
        startWorkers({
          workers: options.workers ?? 2,
          deadline: Duration.toMillis(options.deadline ?? "10 seconds"),
          maxBytes: options.maxBytes ?? 64 * 1024 * 1024,
          maxHeapMb: options.maxHeapMb ?? 512,
          workerFile: options.workerFile ?? new URL("./worker.js", import.meta.url),
        }),
      ),
      (workers) => Effect.promise(() => workers.close()),
    ).pipe(
      Effect.map((workers) => ({
        parse: (raws: ReadonlyArray<Uint8Array>) =>
          raws.length === 0
            ? Effect.succeed([])
            : Effect.async<ReadonlyArray<ParsedMail>>((resume) =>
                Effect.sync(workers.submit(raws, (mails) => resume(Effect.succeed(mails)))),
              ),
      })),
    ),
  )
