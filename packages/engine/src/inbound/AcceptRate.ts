/** How fast this process accepts mail, and when delivering should wait for it. */
import { type Instant, SECOND } from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"

/** Milliseconds: longer than collecting garbage, delivering a batch, or one large mail keeps mail from being accepted. */
const WINDOW = 100
/** Weight in a window from which on mail pours in: five hundred small mails a second, or thirty of 1 MB. */
const MANY = 50
/** Bytes that weigh as much as a mail. */
const BYTES_OF_A_MAIL = 64 * 1024
/** Milliseconds between two looks at the rate. */
const LOOK = 10
/** Milliseconds that delivering a backlog waits for accepting at most. */
const LULL_MAX = 1.5 * SECOND

/** Groups of mails in a window from which on clients send one mail after another: eighty a second. */
const CONVERSATION = 8
/** Mails within their tenants' shares in a window, from which on they are worth waiting for: two hundred a second. */
const MANY_WITHIN_SHARE = 20
/** Milliseconds that delivering waits at most while clients send one mail after another. */
const BREATH_MAX = 25
const BREATH_LOOK = 5

/** Mails that were accepted by one commit. */
export interface Accepted {
  readonly mails: number
  readonly sizeBytes: number
  /** those of them that are within the shares of their tenants */
  readonly withinShare: number
}

interface Group {
  readonly at: Instant
  readonly weight: number
  readonly withinShare: number
}

export class AcceptRate extends Context.Tag("@mailroom/AcceptRate")<
  AcceptRate,
  {
    /** Notes what one commit accepted. */
    readonly accepted: (accepted: Accepted) => Effect.Effect<void>
    /**
     * For mail beyond its tenant's share: waits while mail pours in, for at most 1.5 s, and then for at most 25 ms while
     * clients send one mail after another. A commit that delivers a mail holds up the one that accepts the next; delivering
     * several at once holds up few of them. True when the 1.5 s were not enough.
     */
    readonly lull: Effect.Effect<boolean>
    /**
     * For all other mail: waits for at most 25 ms while much of it comes in, because one transaction for many mails costs
     * less than many. Mail beyond its tenant's share does not count: a flood keeps nobody else waiting.
     */
    readonly breath: Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<AcceptRate> = Layer.sync(AcceptRate, () => {
    let groups: ReadonlyArray<Group> = []
    const recent = Effect.map(Clock.currentTimeMillis, (now) => {
      groups = groups.filter(({ at }) => at > now - WINDOW)
      return groups
    })
    const sum = (some: ReadonlyArray<Group>, of: "weight" | "withinShare") =>
      some.reduce((total, group) => total + group[of], 0)
    const isPouring = Effect.map(recent, (some) => sum(some, "weight") >= MANY)
    const isTalking = Effect.map(recent, (some) => some.length >= CONVERSATION)
    const isWorthWaiting = Effect.map(recent, (some) => sum(some, "withinShare") >= MANY_WITHIN_SHARE)
    const whileTrue = (condition: Effect.Effect<boolean>, look: number): Effect.Effect<void> =>
      Effect.flatMap(condition, (holds) =>
        holds ? Effect.zipRight(Effect.sleep(look), whileTrue(condition, look)) : Effect.void,
      )
    const shortly = (condition: Effect.Effect<boolean>): Effect.Effect<void> =>
      Effect.asVoid(Effect.timeoutOption(whileTrue(condition, BREATH_LOOK), BREATH_MAX))
    return {
      accepted: ({ mails, sizeBytes, withinShare }) =>
        Effect.zipWith(recent, Clock.currentTimeMillis, (some, at) => {
          groups = [...some, { at, weight: mails + Math.floor(sizeBytes / BYTES_OF_A_MAIL), withinShare }]
        }),
      lull: Effect.timeoutOption(whileTrue(isPouring, LOOK), LULL_MAX).pipe(
        Effect.map(Option.isNone),
        Effect.tap((late) => (late ? Effect.void : shortly(isTalking))),
      ),
      breath: shortly(isWorthWaiting),
    }
  })
}
