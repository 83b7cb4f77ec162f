/**
 * Measures how much mail this process accepts and delivers. Deliveries yield to accepting, and the workers that prepare
 * search yield to both.
 */
import { type Instant, SECOND } from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"

/** Milliseconds that the rate covers: longer than a garbage collection, a delivered batch, or one large mail takes. */
const WINDOW = 100
/** Bytes that weigh as much as one small mail. */
const BYTES_PER_WEIGHT = 64 * 1024
/** Accepting is busy when a window has this weight or more: 500 small mails a second, or 30 of 1 MB. */
const BUSY_WEIGHT = 50
/** Milliseconds between two looks at the rate while a backlog yields. */
const YIELD_POLL = 10
/** Milliseconds that a backlog yields to accepting, at most. */
const YIELD_MAX = 1.5 * SECOND
/** Bytes that are accepted while a backlog yields, at most: large mail takes long to deliver, and waits for its first moment meanwhile. */
const YIELD_MAX_BYTES = 160 * 1024 * 1024
/** Delivery is busy when claimed mails of this weight, or more, are in delivery: 32 small ones, or two of 1 MB. */
const BUSY_DELIVERING = 32

/** So many commits in a window, or more, mean that clients send one mail after another: 30 a second. */
const STEADY_COMMITS = 3
/** With so many mails within their tenants' shares in a window, or more, larger batches pay off: 200 a second. */
const BUSY_WITHIN_SHARE = 20
/**
 * Milliseconds that mail beyond its tenant's share waits for more of it, at most. A batch costs as much as several mails, and holds up
 * the next commit: a session of 500 mails a second gets a tenth more through than with 25 ms.
 */
const STEADY_DELAY_MAX = 200
/** Milliseconds that mail within its tenant's share waits for more of it, at most. */
const BATCH_DELAY_MAX = 25
/** Milliseconds between two looks at the rate during such a delay. */
const BATCH_DELAY_POLL = 5

interface Mails {
  readonly mails: number
  readonly sizeBytes: number
}

const weightOf = ({ mails, sizeBytes }: Mails): number => mails + Math.floor(sizeBytes / BYTES_PER_WEIGHT)

/** Mails that one commit accepted. */
export interface Accepted extends Mails {
  /** how many of them are within the shares of their tenants */
  readonly withinShare: number
}

/** One commit in the window. */
interface Commit {
  readonly at: Instant
  readonly weight: number
  readonly withinShare: number
}

export class MailLoad extends Context.Tag("@mailroom/MailLoad")<
  MailLoad,
  {
    /** Records what one commit accepted. */
    readonly accepted: (accepted: Accepted) => Effect.Effect<void>
    /**
     * For mail beyond its tenant's share: waits while accepting is busy, and then for 200 ms at most while clients send one mail
     * after another; again if accepting becomes busy meanwhile, as after a batch that held it up. All of it takes 1.5 s or 160 MB at
     * most. Each commit of a delivery delays the commit that accepts the next mail, so a few large batches delay less than many small
     * ones. True when accepting is still busy then.
     */
    readonly yieldToAccepting: Effect.Effect<boolean>
    /**
     * For mail within its tenant's share: waits for 25 ms at most while much of it arrives, because one transaction for many
     * mails costs less than many transactions. Mail beyond its share does not count, so a flood delays no other tenant.
     */
    readonly batchDelay: Effect.Effect<void>
    /** Runs the delivery of claimed mails. */
    readonly delivering: <A, E, R>(claimed: Mails, delivery: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /**
     * Whether much mail is accepted, or mail with the weight of 32 small ones is in delivery or was within the last 100 ms, because
     * there are pauses between batches.
     */
    readonly isBusy: Effect.Effect<boolean>
  }
>() {
  static readonly layer: Layer.Layer<MailLoad> = Layer.sync(MailLoad, () => {
    let weightInDelivery = 0
    /** when delivery was last busy */
    let busyDeliveringAt: Instant = -Infinity
    let commits: ReadonlyArray<Commit> = []
    let acceptedBytes = 0
    const recent = Effect.map(Clock.currentTimeMillis, (now) => {
      commits = commits.filter(({ at }) => at > now - WINDOW)
      return commits
    })
    const sum = (some: ReadonlyArray<Commit>, of: "weight" | "withinShare") =>
      some.reduce((total, commit) => total + commit[of], 0)
    const isAccepting = Effect.map(recent, (some) => sum(some, "weight") >= BUSY_WEIGHT)
    const isDelivering = Effect.map(
      Clock.currentTimeMillis,
      (now) => weightInDelivery >= BUSY_DELIVERING || busyDeliveringAt > now - WINDOW,
    )
    const isSteady = Effect.map(recent, (some) => some.length >= STEADY_COMMITS)
    const isBusyWithinShare = Effect.map(recent, (some) => sum(some, "withinShare") >= BUSY_WITHIN_SHARE)
    const waitWhile = (condition: Effect.Effect<boolean>, poll: number): Effect.Effect<void> =>
      Effect.flatMap(condition, (holds) =>
        holds ? Effect.zipRight(Effect.sleep(poll), waitWhile(condition, poll)) : Effect.void,
      )
    const delayWhile = (condition: Effect.Effect<boolean>, max: number): Effect.Effect<void> =>
      Effect.asVoid(Effect.timeoutOption(waitWhile(condition, BATCH_DELAY_POLL), max))
    const isSteadyOnly = Effect.zipWith(isSteady, isAccepting, (steady, busy) => steady && !busy)
    /** Waits while `mayYield`, and again if that becomes true while it waits for steady clients. */
    const yieldWhile = (mayYield: Effect.Effect<boolean>): Effect.Effect<void> =>
      waitWhile(mayYield, YIELD_POLL).pipe(
        Effect.zipRight(delayWhile(isSteadyOnly, STEADY_DELAY_MAX)),
        Effect.zipRight(mayYield),
        Effect.flatMap((isBusyAgain) => (isBusyAgain ? yieldWhile(mayYield) : Effect.void)),
      )
    return {
      accepted: (accepted) =>
        Effect.zipWith(recent, Clock.currentTimeMillis, (some, at) => {
          acceptedBytes += accepted.sizeBytes
          commits = [...some, { at, weight: weightOf(accepted), withinShare: accepted.withinShare }]
        }),
      yieldToAccepting: Effect.suspend(() => {
        const through = acceptedBytes + YIELD_MAX_BYTES
        const mayYield = Effect.map(isAccepting, (isBusy) => isBusy && acceptedBytes < through)
        return Effect.timeoutOption(yieldWhile(mayYield), YIELD_MAX)
      }).pipe(Effect.zipRight(isAccepting)),
      batchDelay: delayWhile(isBusyWithinShare, BATCH_DELAY_MAX),
      delivering: (claimed, delivery) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            weightInDelivery += weightOf(claimed)
          }),
          () => delivery,
          () =>
            Effect.map(Clock.currentTimeMillis, (now) => {
              if (weightInDelivery >= BUSY_DELIVERING) busyDeliveringAt = now
              weightInDelivery -= weightOf(claimed)
            }),
        ),
      isBusy: Effect.zipWith(isAccepting, isDelivering, (accepting, delivering) => accepting || delivering),
    }
  })
}
