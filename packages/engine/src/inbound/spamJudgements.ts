/**
 * Asks the operator's spam filter about each mail. A mail waits at most three seconds for it, and a filter that fails three
 * times in a row is not asked for 30 seconds: mail is then delivered without its judgement.
 */
import { type Instant, SECOND, type Spam } from "@mailroom/domain"
import { Clock, Effect, Option } from "effect"
import type { Envelope } from "../ports/MailSpool.js"
import { SpamFilter, SpamFilterFailed } from "../ports/SpamFilter.js"

/** Milliseconds that a mail waits for its judgement, the wait for other mails included. */
export const JUDGED_WITHIN = 3 * SECOND
/** Mails that the filter judges at the same time. */
export const JUDGED_AT_ONCE = 8
/** Failures in a row after which the filter is not asked for `REST`. */
export const FAILURES_MAX = 3
/** Milliseconds until it is asked again. Each further failure starts this time anew. */
export const REST = 30 * SECOND

/** The judgement of a mail; null when the filter fails or is too slow. */
export type JudgeSpam = (raw: Uint8Array, envelope: Envelope) => Effect.Effect<Spam | null>

/** null where no filter is configured. */
export const makeJudgeSpam: Effect.Effect<JudgeSpam | null, never, SpamFilter> = Effect.gen(function* () {
  const { judge } = yield* SpamFilter
  if (judge === null) return null
  const places = yield* Effect.makeSemaphore(JUDGED_AT_ONCE)
  /** failures in a row */
  let failures = 0
  let failingSince: Instant | null = null
  let restsUntil: Instant = 0

  const failed = Effect.fnUntraced(function* ({ reason }: SpamFilterFailed) {
    const now = yield* Clock.currentTimeMillis
    failures += 1
    if (failures >= FAILURES_MAX) restsUntil = now + REST
    if (failingSince !== null) return
    failingSince = now
    yield* Effect.logWarning(`The spam filter fails (${reason}); mail is delivered without its judgement`)
  })

  const answered = Effect.gen(function* () {
    failures = 0
    if (failingSince === null) return
    const seconds = Math.round(((yield* Clock.currentTimeMillis) - failingSince) / SECOND)
    failingSince = null
    yield* Effect.logInfo(`The spam filter answers again after ${seconds} s`)
  })

  const tooSlow = new SpamFilterFailed({ reason: `no answer within ${JUDGED_WITHIN / SECOND} s` })

  return (raw, envelope) =>
    Effect.gen(function* () {
      const asked = yield* Clock.currentTimeMillis
      if (asked < restsUntil) return null
      const judgement = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        // The filter may have failed for the mails before.
        if (now < restsUntil) return null
        return yield* judge(raw, envelope).pipe(
          Effect.timeoutFail({ duration: JUDGED_WITHIN - (now - asked), onTimeout: () => tooSlow }),
          Effect.tap(answered),
          Effect.catchAll((failure) => Effect.as(failed(failure), null)),
        )
      })
      const inTime = yield* Effect.timeoutOption(places.withPermits(1)(judgement), JUDGED_WITHIN + 1)
      return Option.getOrNull(inTime)
    })
})
