/**
 * `Signals` between all processes on one Postgres. A process wakes its own listeners directly and the others through
 * NOTIFY. It notifies after the commit and for many topics at once, because a transaction with NOTIFY holds a
 * server-wide lock while it commits (docs/decisions/0024).
 */
import { InProcessSignals, type Signals, type Topic } from "@mailroom/engine"
import { Effect, Queue, type Scope } from "effect"
import { channelOf, COMMON_CHANNEL, make as makeChannels } from "./channels.js"
import type { ListenConnection } from "./listenConnection.js"

/** Bytes of a payload; Postgres allows less than 8,000. */
const PAYLOAD_MAX = 7_900
/** Topics kept while the connection is lost. With more, one notification for every topic replaces them. */
const PENDING_MAX = 10_000
const EVERYTHING = "*"
/** Milliseconds until a failed notification is sent again. */
const RETRY_AFTER = 500

/** Whether a topic announces queued work. One process empties a queue as fast as many, and many would compete. */
const isWork = (topic: Topic): boolean => channelOf(topic) === COMMON_CHANNEL

interface Notification {
  readonly channel: string
  readonly payload: string
}

/** The notifications for these topics. A payload is the name of the sender and its topics, one in each line. */
const notificationsOf = (
  holder: string,
  topics: ReadonlyMap<string, string>,
): ReadonlyArray<Notification> => {
  const complete: Array<Notification> = []
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
  /** Wakes the listeners of this process only. */
  readonly wake: (topics: ReadonlyArray<Topic>) => void
  /** Wakes the listeners to the topics in a notification of another process. */
  readonly onNotification: (payload: string) => void
  /** Listens to all wanted channels on a new connection and wakes all listeners, because signals may have been missed. */
  readonly onConnected: (connection: ListenConnection) => Effect.Effect<void, Error>
  /** Applies changes of the wanted channels and sends what is published, until the scope closes. */
  readonly run: (connection: ListenConnection) => Effect.Effect<void, never, Scope.Scope>
}

/** `holder`: the name of this process (`LeaseHolder`). */
export const make = (holder: string): Effect.Effect<PostgresSignals> =>
  Effect.gen(function* () {
    const local = InProcessSignals.make()
    const channels = yield* makeChannels
    /** Topics that were not sent yet, with their channels. */
    const pending = new Map<string, string>()
    const hasPending = yield* Queue.sliding<void>(1)

    const listen: Signals["Type"]["listen"] = (topic, onSignal) => {
      const channel = channelOf(topic)
      const here = local.listen(topic, onSignal)
      return channel === null || channel === COMMON_CHANNEL
        ? here
        : Effect.zipRight(here, channels.listenTo(channel))
    }

    const sendPending = ({ query }: ListenConnection) =>
      Effect.gen(function* () {
        yield* Queue.take(hasPending)
        const topics = new Map(pending)
        pending.clear()
        const notifications = notificationsOf(holder, topics)
        yield* query(
          "SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS notices (channel, payload)",
          [notifications.map(({ channel }) => channel), notifications.map(({ payload }) => payload)],
        ).pipe(
          Effect.catchAll(() => {
            for (const [topic, channel] of topics) pending.set(topic, channel)
            return Effect.zipRight(Effect.sleep(RETRY_AFTER), Queue.offer(hasPending, undefined))
          }),
        )
      })

    return {
      signals: {
        listen,
        subscribe: InProcessSignals.subscribeBy(listen),
        publish: (topics) => {
          const published = new Set<Topic>(topics)
          if (pending.size > PENDING_MAX) {
            pending.clear()
            pending.set(EVERYTHING, COMMON_CHANNEL)
          } else
            for (const topic of published) {
              const channel = channelOf(topic)
              if (channel !== null && !(isWork(topic) && local.isListenedTo(topic)))
                pending.set(topic, channel)
            }
          return pending.size === 0
            ? local.publish(published)
            : Effect.zipRight(local.publish(published), Queue.offer(hasPending, undefined))
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
          Effect.asVoid(Effect.forkScoped(Effect.forever(sendPending(connection)))),
        ),
    }
  })
