/** `MimeParser` on worker threads, so that no mail, however hostile, blocks the event loop. */
import { lostThreads, MimeParser } from "@mailroom/engine"
import { type Lane, type ParsedMail, unreadableMail } from "@mailroom/domain"
import { Duration, Effect, Layer, Option } from "effect"
import { startParserThreads } from "./parserThreads.js"

export interface MimeParserPoolOptions {
  /** threads for `parseFast`, started when first needed. Default 1 */
  readonly fastThreads?: number
  /** threads for `parse`, started when first needed. Default 2 */
  readonly slowThreads?: number
  /** how long a thread for `parseFast` may work without finishing a mail. The mails it has begun return None. Default 1 second */
  readonly fastDeadline?: Duration.DurationInput
  /**
   * how long one mail of `parse` may take before its thread is replaced. Default 10 seconds. A bad mail is tried at most
   * three times: among others, alone, and for its header
   */
  readonly deadline?: Duration.DurationInput
  /** raw bytes of `parse` that are parsed at the same time, because parsing takes some eight times as much memory. Default 64 MB */
  readonly maxBytes?: number
  /** JavaScript heap of one thread in MB. Default 512 */
  readonly maxHeapMb?: number
  /** another worker program, which calls `serve`; for tests */
  readonly workerFile?: URL
}

/**
 * A mail of `parse` whose thread crashes or hangs is tried again alone, and then with its header only. Such a mail of
 * `parseFast` returns None. Other mails are not affected. Closing the scope stops the threads. Idle threads do not keep the process alive.
 */
export const layer = (options: MimeParserPoolOptions = {}): Layer.Layer<MimeParser> =>
  Layer.scoped(
    MimeParser,
    Effect.acquireRelease(
      Effect.map(lostThreads("parser"), (report) =>
        startParserThreads({
          report,
          threads: { fast: options.fastThreads ?? 1, slow: options.slowThreads ?? 2 },
          deadline: Duration.toMillis(options.deadline ?? "10 seconds"),
          fastDeadline: Duration.toMillis(options.fastDeadline ?? "1 second"),
          maxBytes: options.maxBytes ?? 64 * 1024 * 1024,
          maxHeapMb: options.maxHeapMb ?? 512,
          workerFile: options.workerFile ?? new URL("./worker.js", import.meta.url),
        }),
      ),
      (threads) => Effect.promise(() => threads.close()),
    ).pipe(
      Effect.map((threads) => {
        const submit = (raws: ReadonlyArray<Uint8Array>, lane: Lane) =>
          raws.length === 0
            ? Effect.succeed([])
            : Effect.async<ReadonlyArray<ParsedMail | null>>((resume) =>
                Effect.sync(threads.submit(raws, lane, (mails) => resume(Effect.succeed(mails)))),
              )
        return MimeParser.of({
          parse: (raws) => Effect.map(submit(raws, "slow"), (mails) => mails.map(orUnread)),
          parseFast: (raws) => Effect.map(submit(raws, "fast"), (mails) => mails.map(Option.fromNullable)),
        })
      }),
    ),
  )

const orUnread = (mail: ParsedMail | null): ParsedMail => mail ?? unreadableMail("the parser gave no answer")
