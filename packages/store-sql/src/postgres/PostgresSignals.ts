/**
 * `Signals` of all processes on one Postgres. A process wakes its own listeners directly and tells the others through
 * NOTIFY: after the commit, and many topics at once, because a transaction that notifies holds a lock of the whole
 * server while it commits (docs/decisions/0024).
 */
import { InProcessSignals, type Signals, type Topic } from "@mailroom/engine"
import { Effect, Queue, type Scope } from "effect"
import { channelOf, COMMON_CHANNEL, make as makeChannels } from "./channels.js"
import type { ListenConnection } from "./listenConnection.js"

/** Bytes of a payload; Postgres takes 8,000. */
const PAYLOAD_MAX = 7_900
/** Topics that wait for a lost connection; beyond, all listeners of all processes are woken when it is back. */
const WAITING_MAX = 10_000
const EVERYTHING = "*"
/** Milliseconds until topics are told again that could not be told. */
const RETRY_AFTER = 500

/** One process empties a queue of work as well as many: waking all would only put them in each other's way. */
const isOfWork = (topic: Topic): boolean => channelOf(topic) === COMMON_CHANNEL

interface Notice {
  readonly channel: string
  readonly payload: string
}

/** What to send on which channel: the sender and its topics, a line each. */
const noticesOf = (holder: string, topics: ReadonlyMap<string, string>): ReadonlyArray<Notice> => {
  const complete: Array<Notice> = []
  const growing = new Map<string, string>()
  for (const [topic, channel] of topics) {
    const payload = growing.get(channel) ?? holder
    if (payload.length + topic.length + 1 > PAYLOAD_MAX) {
      complete.push({ channel, payload })
      growing.set(channel, `${holder}\n${topic}`)
    } else growing.set(channel, `${payload}\n${topic}`)
  }
  return [...complete, ...[...growing].map(([channel, payload]) => ({ channel, payload }))]
}

export interface PostgresSignals {
  readonly signals: Signals["Type"]
  /** Wakes the listeners of this process alone. */
  readonly wake: (topics: ReadonlyArray<Topic>) => void
  /** Wakes those whom another process told about its topics. */
  readonly onNotification: (payload: string) => void
  /** On a new connection: listens to what is listened to here, and wakes everybody, because signals were missed. */
  readonly onConnected: (connection: ListenConnection) => Effect.Effect<void, Error>
  /** Follows changes of what is listened to, and tells what is published, as long as the scope is open. */
  readonly run: (connection: ListenConnection) => Effect.Effect<void, never, Scope.Scope>
}

/** `holder`: the name of this process (`LeaseHolder`). */
export const make = (holder: string): Effect.Effect<PostgresSignals> =>
  Effect.gen(function* () {
    const local = InProcessSignals.make()
    const channels = yield* makeChannels
    /** Topics that were not told yet, with their channels. */
    const untold = new Map<string, string>()
    const hasUntold = yield* Queue.sliding<void>(1)

    const listen: Signals["Type"]["listen"] = (topic, onSignal) => {
      const channel = channelOf(topic)
      const here = local.listen(topic, onSignal)
      return channel === null || channel === COMMON_CHANNEL
        ? here
        : Effect.zipRight(here, channels.listenTo(channel))
    }

    const tellAll = ({ query }: ListenConnection) =>
      Effect.gen(function* () {
        yield* Queue.take(hasUntold)
        const topics = new Map(untold)
        untold.clear()
        const notices = noticesOf(holder, topics)
        yield* query(
          "SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS notices (channel, payload)",
          [notices.map(({ channel }) => channel), notices.map(({ payload }) => payload)],
        ).pipe(
          Effect.catchAll(() => {
            for (const [topic, channel] of topics) untold.set(topic, channel)
            return Effect.zipRight(Effect.sleep(RETRY_AFTER), Queue.offer(hasUntold, undefined))
          }),
        )
      })

    return {
      signals: {
        listen,
        subscribe: InProcessSignals.subscribeBy(listen),
        publish: (topics) => {
          const published = new Set<Topic>(topics)
          if (untold.size > WAITING_MAX) {
            untold.clear()
            untold.set(EVERYTHING, COMMON_CHANNEL)
          } else
            for (const topic of published) {
              const channel = channelOf(topic)
              if (channel !== null && !(isOfWork(topic) && local.isListenedTo(topic)))
                untold.set(topic, channel)
            }
          return untold.size === 0
            ? local.publish(published)
            : Effect.zipRight(local.publish(published), Queue.offer(hasUntold, undefined))
        },
      },
      wake: local.wake,
      onNotification: (payload) => {
        const [sender, ...topics] = payload.split("\n")
        if (sender === holder) return
        if (topics.includes(EVERYTHING)) local.wakeAll()
        else local.wake(topics)
      },
      onConnected: (connection) => Effect.map(channels.renew(connection), local.wakeAll),
      run: (connection) =>
        Effect.zipRight(
          channels.follow(connection),
          Effect.asVoid(Effect.forkScoped(Effect.forever(tellAll(connection)))),
        ),
    }
  })
