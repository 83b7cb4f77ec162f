/**
 * `SenderAuthentication` and `MailSigner` with one worker thread for signatures, so that neither a signed mail of 40 MB
 * nor a header full of signatures blocks the event loop. An unsigned mail is evaluated in the main thread.
 */
import { type Dns, lostThreads, MailSigner, SenderAuthentication } from "@mailroom/engine"
import { Context, Duration, Effect, Layer } from "effect"
import { makeEvaluate } from "../authenticating/evaluate.js"
import { type MailLookups, noLookups } from "../authenticating/resolver.js"
import type { Result, Task } from "./serve.js"
import { startSignatureJobs } from "./signatureJobs.js"
import { signing } from "./signing.js"

export interface SignatureThreadOptions {
  /** how long a mail waits for the results of its authentication. Default 2 seconds */
  readonly limit?: Duration.DurationInput | undefined
  /** how long the thread may take for its next message before it is replaced. Default 5 seconds */
  readonly deadline?: Duration.DurationInput
  /** JavaScript heap of the thread in MB. Default 256 */
  readonly maxHeapMb?: number
  /** another worker program, which calls `serve`; for tests */
  readonly workerFile?: URL
}

/** Closing the scope stops the thread. An idle thread does not keep the process alive. */
export const layer = (
  options: SignatureThreadOptions = {},
): Layer.Layer<SenderAuthentication | MailSigner, never, Dns> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const jobs = yield* Effect.acquireRelease(
        Effect.map(lostThreads("signatures"), (report) =>
          startSignatureJobs({
            report,
            deadline: Duration.toMillis(options.deadline ?? "5 seconds"),
            maxHeapMb: options.maxHeapMb ?? 256,
            workerFile: options.workerFile ?? new URL("./signatureWorker.js", import.meta.url),
          }),
        ),
        ({ close }) => Effect.promise(close),
      )

      const run = (task: Task, raw: Uint8Array, lookups: MailLookups): Effect.Effect<Result> =>
        Effect.async((resume) =>
          Effect.sync(jobs.submit({ task, raw, lookups }, (result) => resume(Effect.succeed(result)))),
        )

      const authentication = yield* makeEvaluate(
        (raw, receivedAt, lookups) =>
          Effect.flatMap(run({ kind: "verify", receivedAt }, raw, lookups), (result) =>
            result.kind === "verified" ? Effect.succeed(result.results) : Effect.fail("failed" as const),
          ),
        options.limit,
      )
      return Context.make(SenderAuthentication, authentication).pipe(
        Context.add(MailSigner, {
          sign: signing((raw, key, signedAt) =>
            Effect.flatMap(run({ kind: "sign", key, signedAt }, raw, noLookups), (result) =>
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
