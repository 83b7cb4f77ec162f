/** Runs the jobs of the queue: provisioning, system mail, and the later steps of long changes (`JobSteps`). */
import {
  HOUR,
  type Instant,
  type MailroomError,
  MINUTE,
  SECOND,
  SYSTEM_MAIL_TRIED_FOR,
} from "@mailroom/domain"
import { Cause, Clock, Context, Effect, Layer, Option } from "effect"
import { RoleMail } from "../accounts/RoleMail.js"
import { Signals } from "../ports/Signals.js"
import { isStorageAway } from "../ports/StorageFailure.js"
import { isSystemMail, type JobRecord, JobStore } from "../ports/stores/JobStore.js"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"
import { makeIdleWait } from "../workers/idleWait.js"
import { makeClaim } from "../workers/leasing.js"
import { drainRounds, makeSupervisor } from "../workers/supervisor.js"
import { JobSteps } from "./JobSteps.js"

/** Jobs that one claim takes and that run side by side. A new job waits for one such group at most. */
const JOBS_AT_ONCE = 4
const LEASE = 2 * MINUTE
const POLL = 5 * SECOND
/**
 * Milliseconds until a failed job is retried. The delay doubles with each attempt, from the first to the last of these. After
 * an outage of the storage it starts at 1 s, because most outages are short.
 */
const RETRY_FIRST = 10 * SECOND
const RETRY_FIRST_AFTER_OUTAGE = 1 * SECOND
const RETRY_LAST = 1 * HOUR

/**
 * Why a failed job is given up; null when it is tried again. Only mail of the service itself is ever given up: when the relay
 * refused it, or after three days (docs/decisions/0014).
 */
const givenUpBecause = (job: JobRecord, cause: Cause.Cause<MailroomError>, now: Instant): string | null => {
  if (!isSystemMail(job.spec) && job.spec.kind !== "pass-on") return null
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure) && failure.value._tag === "RelayRefused") return failure.value.answer
  return now - job.since >= SYSTEM_MAIL_TRIED_FOR ? "it was tried for three days" : null
}

export class Jobs extends Context.Tag("@mailroom/Jobs")<
  Jobs,
  {
    /** Runs due jobs until none is left. */
    readonly drain: Effect.Effect<void>
    readonly run: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.scoped(
    Jobs,
    Effect.gen(function* () {
      const jobs = yield* JobStore
      const { perform } = yield* JobSteps
      const roleMail = yield* RoleMail
      const signals = yield* Signals

      const retryAt = (attempts: number, cause: Cause.Cause<unknown>, now: Instant): Instant => {
        const first = isStorageAway(cause) ? RETRY_FIRST_AFTER_OUTAGE : RETRY_FIRST
        return now + Math.min(RETRY_LAST, first * 2 ** (attempts - 1))
      }

      const supervisor = makeSupervisor("jobs")

      /** Removes a job that was done or is given up, with what it kept. */
      const end = ({ id, spec }: JobRecord) =>
        spec.kind === "pass-on" ? roleMail.end(id, spec) : jobs.done(id)

      const work = (job: JobRecord) =>
        supervisor.task(perform(job.spec), { job: job.id, kind: job.spec.kind, attempt: job.attempts }).pipe(
          Effect.zipRight(end(job)),
          Effect.catchAllCause((cause) =>
            Effect.gen(function* () {
              const now = yield* Clock.currentTimeMillis
              const reason = givenUpBecause(job, cause, now)
              if (reason !== null) {
                yield* Effect.logWarning(`Job ${job.spec.kind} is given up: ${reason}`)
                return yield* retryWhileUnavailable(end(job))
              }
              yield* supervisor.failed(cause)
              yield* retryWhileUnavailable(jobs.retry(job.id, retryAt(job.attempts, cause, now)))
            }),
          ),
          Effect.annotateLogs({ job: job.spec.kind }),
        )

      const leased = yield* makeClaim({ lease: LEASE, abandon: jobs.abandonClaim, topics: ["jobs"] })

      /** Claims some jobs and runs them. Returns how many it claimed. */
      const round = Effect.gen(function* () {
        const claimed = yield* leased((now, leaseUntil) => jobs.claim(JOBS_AT_ONCE, now, leaseUntil))
        yield* Effect.forEach(claimed, work, { concurrency: JOBS_AT_ONCE, discard: true })
        return claimed.length
      })

      const drain = Effect.asVoid(drainRounds(round))

      const idleWait = makeIdleWait()
      const run = Effect.flatMap(signals.subscribe("jobs"), ({ wait }) =>
        supervisor.loop(Effect.zipRight(drain, idleWait(wait, POLL))),
      ).pipe(Effect.scoped)

      return { run, drain }
    }),
  )
}
