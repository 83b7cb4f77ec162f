/** `MimeParser` on worker threads, so that no mail, however hostile, blocks the event loop. */
import { MimeParser } from "@mailroom/engine"
import { type ParsedMail, unreadableMail } from "@mailroom/domain"
import { Duration, Effect, Layer, Option } from "effect"
import type { Patience } from "./parseQueue.js"
import { startParserThreads } from "./parserThreads.js"

export interface MimeParserPoolOptions {
  /** threads for `parsePromptly`, started when first needed. Default 1 */
  readonly promptWorkers?: number
  /** threads for `parse`, started when first needed. Default 2 */
  readonly patientWorkers?: number
  /** how long a prompt mail may take until it is given up. Default 1 second */
  readonly promptDeadline?: Duration.DurationInput
  /**
   * how long one mail may take before its thread is replaced. Default 10 seconds. A bad mail is tried at most three
   * times: among others, alone, and for its header
   */
  readonly deadline?: Duration.DurationInput
  /** raw bytes parsed at the same time, because parsing takes some eight times as much memory. Default 64 MB */
  readonly maxBytes?: number
  /** JavaScript heap of one thread in MB. Default 512 */
  readonly maxHeapMb?: number
  /** another worker program, which calls `serve`; for tests */
  readonly workerFile?: URL
}

/**
 * A mail whose thread crashes or hangs is tried again with its header only; other mails are not affected. Closing the
 * scope stops the threads. Idle threads do not keep the process alive.
 */
export const layer = (options: MimeParserPoolOptions = {}): Layer.Layer<MimeParser> =>
  Layer.scoped(
    MimeParser,
    Effect.acquireRelease(
      Effect.sync(() =>
        startParserThreads({
          workers: { prompt: options.promptWorkers ?? 1, patient: options.patientWorkers ?? 2 },
          deadline: Duration.toMillis(options.deadline ?? "10 seconds"),
          promptDeadline: Duration.toMillis(options.promptDeadline ?? "1 second"),
          maxBytes: options.maxBytes ?? 64 * 1024 * 1024,
          maxHeapMb: options.maxHeapMb ?? 512,
          workerFile: options.workerFile ?? new URL("./worker.js", import.meta.url),
        }),
      ),
      (threads) => Effect.promise(() => threads.close()),
    ).pipe(
      Effect.map((threads) => {
        const submit = (raws: ReadonlyArray<Uint8Array>, patience: Patience) =>
          raws.length === 0
            ? Effect.succeed([])
            : Effect.async<ReadonlyArray<ParsedMail | null>>((resume) =>
                Effect.sync(threads.submit(raws, patience, (mails) => resume(Effect.succeed(mails)))),
              )
        return MimeParser.of({
          parse: (raws) => Effect.map(submit(raws, "patient"), (mails) => mails.map(orUnread)),
          parsePromptly: (raws) =>
            Effect.map(submit(raws, "prompt"), (mails) => mails.map(Option.fromNullable)),
        })
      }),
    ),
  )

const orUnread = (mail: ParsedMail | null): ParsedMail => mail ?? unreadableMail("the parser gave no answer")
