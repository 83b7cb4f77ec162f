/**
 * `SenderAuthentication` and `MailSigner` with a thread for what takes time: neither a signed mail of 40 MB nor a
 * header full of signatures holds up the event loop. A mail without any signature never leaves the calling thread.
 */
import { type Dns, MailSigner, SenderAuthentication } from "@mailroom/engine"
import { Context, Duration, Effect, Layer } from "effect"
import { makeEvaluate } from "../authenticating/evaluate.js"
import { type MailQuestions, noQuestions } from "../authenticating/questions.js"
import type { Result, Task } from "./exchange.js"
import { signing } from "./signing.js"
import { startThread } from "./thread.js"

export interface SignatureThreadOptions {
  /** how long a mail waits for the results of its authentication. Default 2 seconds */
  readonly limit?: Duration.DurationInput | undefined
  /** how long the thread may say nothing before it is replaced. Default 5 seconds */
  readonly deadline?: Duration.DurationInput
  /** JavaScript heap of the thread in MB. Default 256 */
  readonly maxHeapMb?: number
  /** another worker program, which calls `serve`; for tests */
  readonly workerFile?: URL
}

/** Closing the scope stops the thread; an idle one never keeps the process alive. */
export const layer = (
  options: SignatureThreadOptions = {},
): Layer.Layer<SenderAuthentication | MailSigner, never, Dns> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const thread = yield* Effect.acquireRelease(
        Effect.sync(() =>
          startThread({
            deadline: Duration.toMillis(options.deadline ?? "5 seconds"),
            maxHeapMb: options.maxHeapMb ?? 256,
            workerFile: options.workerFile ?? new URL("./signatureWorker.js", import.meta.url),
          }),
        ),
        ({ close }) => Effect.promise(close),
      )

      const work = (task: Task, raw: Uint8Array, questions: MailQuestions): Effect.Effect<Result> =>
        Effect.async((resume) =>
          Effect.sync(thread.submit({ task, raw, questions }, (result) => resume(Effect.succeed(result)))),
        )

      const authentication = yield* makeEvaluate(
        (raw, receivedAt, questions) =>
          Effect.flatMap(work({ kind: "verify", receivedAt }, raw, questions), (result) =>
            result.kind === "verified" ? Effect.succeed(result.findings) : Effect.fail("lost" as const),
          ),
        options.limit,
      )
      return Context.make(SenderAuthentication, authentication).pipe(
        Context.add(MailSigner, {
          sign: signing((raw, key, signedAt) =>
            Effect.flatMap(work({ kind: "sign", key, signedAt }, raw, noQuestions), (result) =>
              result.kind === "signed"
                ? Effect.succeed(result.field)
                : Effect.dieMessage(
                    `no signature: ${result.kind === "failed" ? result.reason : result.kind}`,
                  ),
            ),
          ),
        }),
      )
    }),
  )
