/** The places that the streams of this process hold (`StreamPlaces`). */
import { type AccountId, STREAMS_MAX_PER_ACCOUNT } from "@mailroom/domain"
import { Effect, Option } from "effect"
import { outlasting } from "../outlasting.js"
import type { Signals } from "../ports/Signals.js"
import type { StreamPlaces } from "../ports/stores/StreamPlaces.js"

/** Places taken again at the same time. */
const CONCURRENCY = 4

export interface HeldPlace {
  readonly accountId: AccountId
  /** null: freed by another process, and not taken again yet */
  number: number | null
}

/** Takes and frees places, and takes them again when another process has freed them. */
export const makeHeldPlaces = (places: StreamPlaces["Type"], signals: Signals["Type"]) =>
  Effect.gen(function* () {
    const held = new Set<HeldPlace>()
    const { wait } = yield* signals.subscribe("stream-places")

    const free = ({ accountId, number }: HeldPlace) =>
      number === null ? Effect.void : places.free(accountId, number)

    /**
     * A stream that finds no place goes on without one: the account has opened others meanwhile, and this one ends
     * within 4.5 minutes.
     */
    const takeAgain = (place: HeldPlace) =>
      Effect.gen(function* () {
        const number = yield* places.take(place.accountId, STREAMS_MAX_PER_ACCOUNT)
        place.number = Option.getOrNull(number)
        // Its stream has ended meanwhile.
        if (!held.has(place)) yield* free(place)
      }).pipe(outlasting)

    yield* wait.pipe(
      Effect.zipRight(
        Effect.suspend(() => {
          for (const place of held) place.number = null
          return Effect.forEach([...held], takeAgain, { concurrency: CONCURRENCY, discard: true })
        }),
      ),
      Effect.catchAllCause((cause) => Effect.logError("Taking the places of streams again failed", cause)),
      Effect.forever,
      Effect.forkScoped,
    )

    return {
      /** One of the account's five places; none when all are taken. */
      take: (accountId: AccountId): Effect.Effect<Option.Option<HeldPlace>> =>
        Effect.map(
          places.take(accountId, STREAMS_MAX_PER_ACCOUNT),
          Option.map((number) => {
            const place: HeldPlace = { accountId, number }
            held.add(place)
            return place
          }),
        ),
      /** Gives a place back; while the store is away, as soon as it is there again. */
      free: (place: HeldPlace): Effect.Effect<void> =>
        Effect.suspend(() => {
          held.delete(place)
          return free(place)
        }).pipe(
          Effect.catchAllCause(() => Effect.forkDaemon(outlasting(free(place)))),
          Effect.asVoid,
        ),
    }
  })
