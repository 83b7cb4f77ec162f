/**
 * The channels of NOTIFY. One channel announces work to all processes. Accounts are spread over 256 further channels by
 * a hash of their id, and a process listens to a channel only while somebody in it waits for one of its accounts. So
 * not every process receives every event (docs/decisions/0040).
 */
import { acquireLight, type Topic } from "@mailroom/engine"
import { Deferred, Effect, type Scope } from "effect"
import type { ListenConnection } from "./listenConnection.js"

/** Every process listens to this channel. */
export const COMMON_CHANNEL = "mailroom"

const ACCOUNT_CHANNELS = 256

/** 32-bit FNV-1a, so that all processes agree. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  return hash
}

/** The channel on which a topic is announced to other processes; null for topics that stay in this process. */
export const channelOf = (topic: Topic): string | null => {
  if (topic === "stream-slots") return null
  const colon = topic.indexOf(":")
  return colon === -1
    ? COMMON_CHANNEL
    : `${COMMON_CHANNEL}_${hashOf(topic.slice(colon + 1)) % ACCOUNT_CHANNELS}`
}

export interface Channels {
  /** Listens to a channel until the scope closes. Returns when LISTEN has run, or at once while the connection is lost. */
  readonly listenTo: (channel: string) => Effect.Effect<void, never, Scope.Scope>
  /** Listens to all wanted channels on a new connection. */
  readonly renew: (connection: ListenConnection) => Effect.Effect<void, Error>
  /** Listens and unlistens on the connection as the wanted channels change, until the scope closes. */
  readonly follow: (connection: ListenConnection) => Effect.Effect<void, never, Scope.Scope>
}

export const make: Effect.Effect<Channels> = Effect.gen(function* () {
  /** The channels that this process wants, with the number of listeners. */
  const wanted = new Map<string, number>([[COMMON_CHANNEL, 1]])
  /** The channels that the connection listens to. */
  const active = new Set<string>()
  /** Open while `wanted` may differ from `active`. */
  const hasChanged = Effect.unsafeMakeLatch(false)
  /** Done when every change of `wanted` until now has reached the connection, or the connection was lost. */
  let applied = yield* Deferred.make<void>()
  const mutex = Effect.unsafeMakeSemaphore(1)

  const applyChanges = ({ query }: ListenConnection) =>
    Effect.suspend(() => {
      const added = [...wanted.keys()].filter((channel) => !active.has(channel))
      const removed = [...active].filter((channel) => !wanted.has(channel))
      const statements = [
        ...added.map((channel) => `LISTEN ${channel}`),
        ...removed.map((channel) => `UNLISTEN ${channel}`),
      ]
      if (statements.length === 0) return Effect.void
      // Before the statement: who wants such a channel meanwhile waits for the next LISTEN.
      for (const channel of removed) active.delete(channel)
      return Effect.map(query(statements.join("; ")), () => {
        for (const channel of added) active.add(channel)
      })
    })

  const follow = (connection: ListenConnection) =>
    Effect.gen(function* () {
      yield* hasChanged.await
      hasChanged.unsafeClose()
      const done = applied
      applied = yield* Deferred.make<void>()
      // On a lost connection this fails; `renew` then listens to all wanted channels.
      yield* Effect.ignore(mutex.withPermits(1)(applyChanges(connection)))
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
        yield* Deferred.await(applied)
      }),
    renew: (connection) =>
      mutex.withPermits(1)(
        Effect.suspend(() => {
          active.clear()
          return applyChanges(connection)
        }),
      ),
    follow: (connection) => Effect.asVoid(Effect.forkScoped(Effect.forever(follow(connection)))),
  }
})
