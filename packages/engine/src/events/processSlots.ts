/** Slots of event streams and of waiting requests that this process holds. */
import type { AccountId } from "@mailroom/domain"
import { Effect, Option } from "effect"
import type { Signals } from "../ports/Signals.js"
import type { Slots } from "../ports/stores/StreamSlots.js"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"
import { makeActiveAccounts } from "../workers/activeAccounts.js"

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
    const held = new Map<AccountId, Set<HeldSlot>>()
    /** Slots of one account are taken and freed one after the other: `take` frees every slot of the account that is not in its list. */
    const { inTurn } = makeActiveAccounts(1)
    const { wait } = yield* signals.subscribe("stream-slots")

    const add = (slot: HeldSlot): void => {
      const slotsOfAccount = held.get(slot.accountId) ?? new Set()
      held.set(slot.accountId, slotsOfAccount.add(slot))
    }
    const remove = (slot: HeldSlot): void => {
      const slotsOfAccount = held.get(slot.accountId)
      slotsOfAccount?.delete(slot)
      if (slotsOfAccount?.size === 0) held.delete(slot.accountId)
    }
    const numbersOf = (accountId: AccountId): ReadonlyArray<number> =>
      [...(held.get(accountId) ?? [])].flatMap(({ number }) => number ?? [])

    const taken = (accountId: AccountId) =>
      Effect.suspend(() => slots.take(accountId, max, numbersOf(accountId)))

    const isHeld = (slot: HeldSlot): boolean => held.get(slot.accountId)?.has(slot) === true

    /** The number is read in turn: a slot that ends while it is taken again gets one before. */
    const free = (slot: HeldSlot) =>
      inTurn(
        slot.accountId,
        Effect.suspend(() => {
          const { accountId, number } = slot
          // A later slot may have its number, when the answer to the first try was lost.
          return number === null || numbersOf(accountId).includes(number)
            ? Effect.void
            : slots.free(accountId, number)
        }),
      )

    /**
     * A stream or a wait that gets no slot continues without one: the account opened others meanwhile, and every one ends
     * within 4.5 minutes. One that has ended meanwhile takes no slot.
     */
    const takeAgain = (slot: HeldSlot) =>
      inTurn(
        slot.accountId,
        Effect.gen(function* () {
          if (isHeld(slot)) slot.number = Option.getOrNull(yield* taken(slot.accountId))
        }),
      ).pipe(retryWhileUnavailable)

    yield* wait.pipe(
      Effect.zipRight(
        Effect.suspend(() => {
          const all = [...held.values()].flatMap((some) => [...some])
          for (const slot of all) slot.number = null
          return Effect.forEach(all, takeAgain, { concurrency: RETAKES_AT_ONCE, discard: true })
        }),
      ),
      Effect.catchAllCause((cause) => Effect.logError("Taking slots again failed", cause)),
      Effect.forever,
      Effect.forkScoped,
    )

    return {
      /** One of the account's slots; none when all are taken. */
      take: (accountId: AccountId): Effect.Effect<Option.Option<HeldSlot>> =>
        inTurn(
          accountId,
          Effect.map(
            taken(accountId),
            Option.map((number) => {
              const slot: HeldSlot = { accountId, number }
              add(slot)
              return slot
            }),
          ),
        ),
      /** Frees a slot. While storage is unavailable, retries in the background and succeeds. */
      free: (slot: HeldSlot): Effect.Effect<void> =>
        Effect.suspend(() => {
          remove(slot)
          return free(slot)
        }).pipe(
          Effect.catchAllCause(() => Effect.forkDaemon(retryWhileUnavailable(free(slot)))),
          Effect.asVoid,
        ),
    }
  })
