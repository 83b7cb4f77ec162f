/** Values that hold for a while, as many as fit: the oldest give way. Strangers choose the keys. */
import { Effect } from "effect"

export interface Kept<A> {
  /** What is kept and still holds. */
  readonly find: (key: string) => A | undefined
  /** `holds` is in milliseconds from now. */
  readonly keep: (key: string, value: A, holds: number) => void
}

/** What has a longer key is not kept. */
const KEY_MAX_LENGTH = 1000

export const makeKept = <A>(max: number): Effect.Effect<Kept<A>> =>
  Effect.map(Effect.clock, (clock) => {
    /** oldest first */
    const values = new Map<string, { readonly value: A; readonly until: number }>()
    return {
      find: (key) => {
        const kept = values.get(key)
        if (kept === undefined || kept.until > clock.unsafeCurrentTimeMillis()) return kept?.value
        values.delete(key)
        return undefined
      },
      keep: (key, value, holds) => {
        if (key.length > KEY_MAX_LENGTH) return
        values.delete(key)
        values.set(key, { value, until: clock.unsafeCurrentTimeMillis() + holds })
        const [oldest] = values.keys()
        if (values.size > max && oldest !== undefined) values.delete(oldest)
      },
    }
  })
