/**
 * `Signals` of all processes on one Postgres. Each wakes its own waiters directly, and tells the others through NOTIFY:
 * after the commit, and many topics at once, because a transaction that notifies holds a lock of the whole server
 * while it commits.
 */
import { InProcessSignals, type Signals, type Topic } from "@mailroom/engine"
import { Effect, Queue, type Scope } from "effect"
import type { Lifeline } from "./lifeline.js"

export const CHANNEL = "mailroom"

/** Postgres takes no longer payload than 8,000 bytes. */
const PAYLOAD_MAX = 7_900
/** More topics than this wait for a lost connection as one: everything. */
const WAITING_MAX = 10_000
const EVERYTHING = "*"
const RETRY_AFTER = 500

/** Of a queue of work, which one process empties as well as many: all at once would only be in each other's way. */
const isOfWork = (topic: Topic): boolean => !topic.includes(":")

/** Sender and topics, a line each. */
const payloads = (holder: string, topics: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found: Array<string> = []
  let payload = holder
  for (const topic of topics) {
    if (payload.length + topic.length + 1 > PAYLOAD_MAX) {
      found.push(payload)
      payload = holder
    }
    payload += `\n${topic}`
  }
  return [...found, payload]
}

export interface PostgresSignals {
  readonly signals: Signals["Type"]
  /** Wakes whoever waits here, for anything. */
  readonly wakeAll: Effect.Effect<void>
  /** Wakes whom another process wanted to wake. */
  readonly heard: (payload: string) => Effect.Effect<void>
  /** Tells the others what is published, as long as the scope is open. */
  readonly tell: (lifeline: Lifeline) => Effect.Effect<void, never, Scope.Scope>
}

export const make = (holder: string): Effect.Effect<PostgresSignals> =>
  Effect.gen(function* () {
    const local = InProcessSignals.make()
    const untold = new Set<string>()
    const more = yield* Queue.sliding<void>(1)

    const tellAll = ({ query }: Lifeline) =>
      Effect.gen(function* () {
        yield* Queue.take(more)
        const topics = [...untold]
        untold.clear()
        yield* query("SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload", [
          CHANNEL,
          payloads(holder, topics),
        ]).pipe(
          Effect.catchAll(() => {
            for (const topic of topics) untold.add(topic)
            return Effect.zipRight(Effect.sleep(RETRY_AFTER), Queue.offer(more, undefined))
          }),
        )
      })

    return {
      signals: {
        subscribe: local.subscribe,
        publish: (topics) => {
          const published = new Set<Topic>(topics)
          if (published.size === 0) return Effect.void
          if (untold.size > WAITING_MAX) {
            untold.clear()
            untold.add(EVERYTHING)
          } else
            for (const topic of published)
              if (!isOfWork(topic) || !local.isWaitedFor(topic)) untold.add(topic)
          return untold.size === 0
            ? local.publish(published)
            : Effect.zipRight(local.publish(published), Queue.offer(more, undefined))
        },
      },
      wakeAll: local.wakeAll,
      heard: (payload) => {
        const [sender, ...topics] = payload.split("\n")
        if (sender === holder) return Effect.void
        return topics.includes(EVERYTHING) ? local.wakeAll : local.wake(topics)
      },
      tell: (lifeline) => Effect.asVoid(Effect.forkScoped(Effect.forever(tellAll(lifeline)))),
    }
  })
