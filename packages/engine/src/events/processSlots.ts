/** Slots of event streams and of waiting requests that this process holds. */
import type { AccountId } from "@mailroom/domain"
import { Effect, Option } from "effect"
import type { Signals } from "../ports/Signals.js"
import type { Slots } from "../ports/stores/StreamSlots.js"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"

/** Statements that take slots again at the same time. */
const RETAKES_AT_ONCE = 4

export interface HeldSlot {
  readonly accountId: AccountId
  /** from 1; null: another process freed the slot, and it is not taken again yet */
  number: number | null
}

/**
 * The slots that this process holds, at most `max` of an account over all processes. Takes them again after another process
 * took this one for dead and freed them.
 */
export const makeProcessSlots = (slots: Slots, max: number, signals: Signals["Type"]) =>
  Effect.gen(function* () {
    const held = new Set<HeldSlot>()
    const { wait } = yield* signals.subscribe("stream-slots")

    const free = ({ accountId, number }: HeldSlot) =>
      number === null ? Effect.void : slots.free(accountId, number)

    /**
     * A stream or a wait that gets no slot continues without one: the account opened others meanwhile, and every one ends
     * within 4.5 minutes.
     */
    const takeAgain = (slot: HeldSlot) =>
      Effect.gen(function* () {
        const number = yield* slots.take(slot.accountId, max)
        slot.number = Option.getOrNull(number)
        // The stream ended while its slot was taken.
        if (!held.has(slot)) yield* free(slot)
      }).pipe(retryWhileUnavailable)

    yield* wait.pipe(
      Effect.zipRight(
        Effect.suspend(() => {
          for (const slot of held) slot.number = null
          return Effect.forEach([...held], takeAgain, { concurrency: RETAKES_AT_ONCE, discard: true })
        }),
      ),
      Effect.catchAllCause((cause) => Effect.logError("Taking slots again failed", cause)),
      Effect.forever,
      Effect.forkScoped,
    )

    return {
      /** One of the account's slots; none when all are taken. */
      take: (accountId: AccountId): Effect.Effect<Option.Option<HeldSlot>> =>
        Effect.map(
          slots.take(accountId, max),
          Option.map((number) => {
            const slot: HeldSlot = { accountId, number }
            held.add(slot)
            return slot
          }),
        ),
      /** Frees a slot. While storage is unavailable, retries in the background and succeeds. */
      free: (slot: HeldSlot): Effect.Effect<void> =>
        Effect.suspend(() => {
          held.delete(slot)
          return free(slot)
        }).pipe(
          Effect.catchAllCause(() => Effect.forkDaemon(retryWhileUnavailable(free(slot)))),
          Effect.asVoid,
        ),
    }
  })
