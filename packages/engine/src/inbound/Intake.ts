/** How fast this process is accepting mail. */
import { Clock, Context, Effect, Layer } from "effect"

/** Milliseconds: longer than collecting garbage, or delivering a batch, keeps mail from being accepted. */
const WINDOW = 40
/** Mails in a window from which on they pour in: five hundred a second. */
const MANY = 20
/** How often it is asked whether they still do, milliseconds. */
const LOOK = 10

export class Intake extends Context.Tag("@mailroom/Intake")<
  Intake,
  {
    /** So many mails have just been accepted. */
    readonly accepted: (count: number) => Effect.Effect<void>
    /** Returns at once, unless mail pours in: then once it does not any more. */
    readonly lull: Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<Intake> = Layer.sync(Intake, () => {
    let groups: ReadonlyArray<{ readonly at: number; readonly count: number }> = []
    const recent = Effect.map(Clock.currentTimeMillis, (now) => {
      groups = groups.filter(({ at }) => at > now - WINDOW)
      return now
    })
    const isPouring = Effect.map(recent, () => groups.reduce((sum, { count }) => sum + count, 0) >= MANY)
    const lull: Effect.Effect<void> = Effect.flatMap(isPouring, (pouring) =>
      pouring ? Effect.zipRight(Effect.sleep(LOOK), lull) : Effect.void,
    )
    return {
      accepted: (count) =>
        Effect.map(recent, (at) => {
          groups = [...groups, { at, count }]
        }),
      lull,
    }
  })
}
