/** The slots that the streams of this process hold (`StreamSlots`). */
import { type AccountId, STREAMS_MAX_PER_ACCOUNT } from "@mailroom/domain"
import { Effect, Option } from "effect"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"
import type { Signals } from "../ports/Signals.js"
import type { StreamSlots } from "../ports/stores/StreamSlots.js"

/** Slots taken again at the same time. */
const CONCURRENCY = 4

export interface HeldSlot {
  readonly accountId: AccountId
  /** null: freed by another process, and not taken again yet */
  number: number | null
}

/** Takes and frees slots, and takes them again when another process has freed them. */
export const makeHeldSlots = (slots: StreamSlots["Type"], signals: Signals["Type"]) =>
  Effect.gen(function* () {
    const held = new Set<HeldSlot>()
    const { wait } = yield* signals.subscribe("stream-slots")

    const free = ({ accountId, number }: HeldSlot) =>
      number === null ? Effect.void : slots.free(accountId, number)

    /**
     * A stream that finds no slot goes on without one: the account has opened others meanwhile, and this one ends
     * within 4.5 minutes.
     */
    const takeAgain = (slot: HeldSlot) =>
      Effect.gen(function* () {
        const number = yield* slots.take(slot.accountId, STREAMS_MAX_PER_ACCOUNT)
        slot.number = Option.getOrNull(number)
        // Its stream has ended meanwhile.
        if (!held.has(slot)) yield* free(slot)
      }).pipe(retryWhileUnavailable)

    yield* wait.pipe(
      Effect.zipRight(
        Effect.suspend(() => {
          for (const slot of held) slot.number = null
          return Effect.forEach([...held], takeAgain, { concurrency: CONCURRENCY, discard: true })
        }),
      ),
      Effect.catchAllCause((cause) => Effect.logError("Taking the slots of streams again failed", cause)),
      Effect.forever,
      Effect.forkScoped,
    )

    return {
      /** One of the account's five slots; none when all are taken. */
      take: (accountId: AccountId): Effect.Effect<Option.Option<HeldSlot>> =>
        Effect.map(
          slots.take(accountId, STREAMS_MAX_PER_ACCOUNT),
          Option.map((number) => {
            const slot: HeldSlot = { accountId, number }
            held.add(slot)
            return slot
          }),
        ),
      /** Gives a slot back; while the store is away, as soon as it is there again. */
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
