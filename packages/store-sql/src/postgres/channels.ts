/**
 * The channels of NOTIFY. Work has one for all processes. Accounts are spread over 256 by a hash of their id, and a
 * process listens to a channel only while it has a listener for one of its accounts: so a hundred processes do not each
 * hear of every event (docs/decisions/0040).
 */
import { acquireLight, type Topic } from "@mailroom/engine"
import { Deferred, Effect, type Scope } from "effect"
import type { ListenConnection } from "./listenConnection.js"

/** Every process listens to it. */
export const COMMON_CHANNEL = "mailroom"

const ACCOUNT_CHANNELS = 256

/** 32-bit FNV-1a: the same in every process. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  return hash
}

/** The channel on which other processes hear of a topic; null: none does. */
export const channelOf = (topic: Topic): string | null => {
  if (topic === "stream-slots") return null
  const colon = topic.indexOf(":")
  return colon === -1
    ? COMMON_CHANNEL
    : `${COMMON_CHANNEL}_${hashOf(topic.slice(colon + 1)) % ACCOUNT_CHANNELS}`
}

export interface Channels {
  /** Listens to a channel until the scope closes. Returns once it does, or at once while the connection is lost. */
  readonly listenTo: (channel: string) => Effect.Effect<void, never, Scope.Scope>
  /** Listens on a new connection to everything that is wanted. */
  readonly renew: (connection: ListenConnection) => Effect.Effect<void, Error>
  /** Follows what is wanted on the connection, until the scope closes. */
  readonly follow: (connection: ListenConnection) => Effect.Effect<void, never, Scope.Scope>
}

export const make: Effect.Effect<Channels> = Effect.gen(function* () {
  /** Channels that somebody listens to, and how many do. */
  const wanted = new Map<string, number>([[COMMON_CHANNEL, 1]])
  /** Channels that the connection listens to. */
  const active = new Set<string>()
  /** Open when `wanted` may differ from `active`. */
  const hasChanged = Effect.unsafeMakeLatch(false)
  /** Done when the connection has followed every change until now, or was lost. */
  let followed = yield* Deferred.make<void>()
  const oneAtATime = Effect.unsafeMakeSemaphore(1)

  const change = ({ query }: ListenConnection) =>
    Effect.suspend(() => {
      const added = [...wanted.keys()].filter((channel) => !active.has(channel))
      const removed = [...active].filter((channel) => !wanted.has(channel))
      const statements = [
        ...added.map((channel) => `LISTEN ${channel}`),
        ...removed.map((channel) => `UNLISTEN ${channel}`),
      ]
      if (statements.length === 0) return Effect.void
      return Effect.map(query(statements.join("; ")), () => {
        for (const channel of added) active.add(channel)
        for (const channel of removed) active.delete(channel)
      })
    })

  const follow = (connection: ListenConnection) =>
    Effect.gen(function* () {
      yield* hasChanged.await
      hasChanged.unsafeClose()
      const done = followed
      followed = yield* Deferred.make<void>()
      // A lost connection is renewed with everything that is wanted then.
      yield* Effect.ignore(oneAtATime.withPermits(1)(change(connection)))
      yield* Deferred.succeed(done, undefined)
    })

  return {
    listenTo: (channel) =>
      Effect.gen(function* () {
        yield* acquireLight(
          Effect.sync(() => wanted.set(channel, (wanted.get(channel) ?? 0) + 1)),
          () =>
            Effect.sync(() => {
              const others = (wanted.get(channel) ?? 1) - 1
              if (others > 0) wanted.set(channel, others)
              else wanted.delete(channel)
              hasChanged.unsafeOpen()
            }),
        )
        if (active.has(channel)) return
        hasChanged.unsafeOpen()
        yield* Deferred.await(followed)
      }),
    renew: (connection) =>
      oneAtATime.withPermits(1)(
        Effect.suspend(() => {
          active.clear()
          return change(connection)
        }),
      ),
    follow: (connection) => Effect.asVoid(Effect.forkScoped(Effect.forever(follow(connection)))),
  }
})
