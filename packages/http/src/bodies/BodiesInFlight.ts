/**
 * Bounds the request bodies of a process: their bytes together and per sender, and the rate at which they have to come. A
 * body counts from before its first byte is read until its request is answered.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { type InvalidInput, type RequestTooSlow, TooManyBodies } from "@mailroom/domain"
import { acquireLight } from "@mailroom/engine"
import { Clock, Context, Effect, Layer, Metric, Scope } from "effect"
import { openBody } from "./BodySource.js"
import {
  ACCOUNT_BODY_GRACE,
  ACCOUNTS_MAX_BYTES,
  ANONYMOUS_BODY_GRACE,
  ANONYMOUS_MAX_BYTES,
  BODY_CHECK_INTERVAL,
  BODY_MIN_BYTES,
  BODY_MIN_RATE,
  BUSY_RETRY_AFTER,
} from "./limits.js"

/** Who sends a body: an account by its id, the operator, or a client address without credentials. */
export interface BodySender {
  readonly known: boolean
  readonly id: string
}

/**
 * Whether a sender that holds `held` of the `used` bytes may have `bytes` more: afterwards at least as many bytes must be
 * free as the sender holds. One sender alone gets half of the bytes, and there is always room for the next sender
 * (Choudhury and Hahne, dynamic queue length thresholds).
 */
export const hasRoom = (maxBytes: number, used: number, held: number, bytes: number): boolean =>
  held + bytes <= maxBytes - used - bytes

/** Whether a body that began `millis` ago is too slow with `received` bytes. */
export const isTooSlow = (millis: number, received: number, graceMillis: number): boolean =>
  millis > graceMillis + (received / BODY_MIN_RATE) * 1000

const bytesInFlight = Metric.gauge("mailroom_http_body_bytes", {
  description: "bytes of request bodies that are being read or worked on",
})

const makePool = (name: string, maxBytes: number) => {
  const heldBy = new Map<string, number>()
  const gauge = Metric.tagged(bytesInFlight, "sender", name)
  let used = 0
  const change = (id: string, bytes: number) => {
    const held = (heldBy.get(id) ?? 0) + bytes
    if (held === 0) heldBy.delete(id)
    else heldBy.set(id, held)
    used += bytes
    return Metric.set(gauge, used)
  }
  const take = (id: string, bytes: number): Effect.Effect<void, TooManyBodies> =>
    Effect.suspend(() =>
      hasRoom(maxBytes, used, heldBy.get(id) ?? 0, bytes)
        ? change(id, bytes)
        : new TooManyBodies({ retryAfter: BUSY_RETRY_AFTER }),
    )
  /** Takes room for one body until the scope closes, and returns what makes it larger. */
  return (id: string, bytes: number): Effect.Effect<Room, TooManyBodies, Scope.Scope> =>
    Effect.gen(function* () {
      let taken = 0
      const growTo = (size: number): Effect.Effect<void, TooManyBodies> => {
        if (size <= taken) return Effect.void
        const more = Math.max(size, 2 * taken) - taken
        return Effect.tap(take(id, more), () => {
          taken += more
        })
      }
      yield* acquireLight(growTo(bytes), () => Effect.suspend(() => change(id, -taken)))
      return growTo
    })
}

/** Grows the room of a body to `bytes` in all. */
type Room = (bytes: number) => Effect.Effect<void, TooManyBodies>

interface Reading {
  readonly startedAt: number
  readonly graceMillis: number
  readonly giveUp: () => void
  received: number
}

export type Next = Effect.Effect<Uint8Array | null, InvalidInput | RequestTooSlow | TooManyBodies>

export class BodiesInFlight extends Context.Tag("@mailroom/http/BodiesInFlight")<
  BodiesInFlight,
  {
    /**
     * Takes room for a body until the scope closes, and has `use` read it: `next` pulls its bytes, null at the end.
     * `length` is the announced length in bytes; a body without one gets room as its bytes come. Fails with
     * `TooManyBodies` when there is no room. `next` fails with `RequestTooSlow` once the body comes too slowly.
     */
    readonly read: <A, E, R>(
      request: HttpServerRequest.HttpServerRequest,
      sender: BodySender,
      length: number | null,
      use: (next: Next) => Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | TooManyBodies, Exclude<R, Scope.Scope> | Scope.Scope>
  }
>() {
  static readonly layer: Layer.Layer<BodiesInFlight> = Layer.scoped(
    BodiesInFlight,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const accounts = makePool("account", ACCOUNTS_MAX_BYTES)
      const anonymous = makePool("anonymous", ANONYMOUS_MAX_BYTES)
      const readings = new Set<Reading>()
      let checking = false

      /** Gives up slow bodies. It runs while any body is read: one timer for all costs less than one for each. */
      const check = Effect.gen(function* () {
        while (readings.size > 0) {
          yield* Effect.sleep(BODY_CHECK_INTERVAL)
          const now = yield* Clock.currentTimeMillis
          for (const { startedAt, graceMillis, received, giveUp } of readings)
            if (isTooSlow(now - startedAt, received, graceMillis)) giveUp()
        }
      }).pipe(Effect.ensuring(Effect.sync(() => (checking = false))), Effect.interruptible)
      const startChecking = Effect.suspend(() => {
        if (checking) return Effect.void
        checking = true
        return Effect.forkIn(check, scope)
      })

      /** Opens a body until the scope closes. What was not pulled stays unread. */
      const open = (request: HttpServerRequest.HttpServerRequest, graceMillis: number, growTo: Room) =>
        Effect.gen(function* () {
          const { next, giveUp } = yield* openBody(request)
          const startedAt = yield* Clock.currentTimeMillis
          const reading: Reading = { startedAt, graceMillis, giveUp, received: 0 }
          yield* acquireLight(
            Effect.sync(() => readings.add(reading)),
            () => Effect.sync(() => readings.delete(reading)),
          )
          yield* startChecking
          return Effect.tap(next, (chunk) => {
            reading.received += chunk?.length ?? 0
            return growTo(reading.received)
          })
        })

      return {
        read: (request, { known, id }, length, use) =>
          Effect.gen(function* () {
            const pool = known ? accounts : anonymous
            const growTo = yield* pool(id, Math.max(length ?? 0, BODY_MIN_BYTES))
            const graceMillis = known ? ACCOUNT_BODY_GRACE : ANONYMOUS_BODY_GRACE
            const requestScope = yield* Effect.scope
            return yield* Effect.scoped(
              Effect.flatMap(open(request, graceMillis, growTo), (next) =>
                Scope.extend(use(next), requestScope),
              ),
            )
          }),
      }
    }),
  )
}
