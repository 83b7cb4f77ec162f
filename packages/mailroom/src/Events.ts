/** Handles the events of an embedded Mailroom (docs/decisions/0071). */
import type { EventKind, MailboxId, MailEvent, MessageReceived, ParkedEvent } from "@mailroom/domain"
import { Consumers } from "@mailroom/engine"
import { Context, Effect, Exit, HashSet, Layer } from "effect"
import { EmbeddedAccount } from "./EmbeddedAccount.js"
import { atBorder, type MailroomFailure, orUnavailable } from "./failures.js"
import { Messages, type NewReply } from "./Messages.js"
import type { SentMail } from "./SentMail.js"

/** A message that arrived. */
export interface ReceivedMail extends MessageReceived {
  /**
   * Answers the author, in the thread. Each call in a handler sends once: when the handler runs again, because it failed or its
   * process died, the call returns what became of its first answer, and sends nothing. A call that fails does not count: the next
   * call takes its place.
   */
  readonly reply: (body: NewReply) => Effect.Effect<SentMail, MailroomFailure>
  /** As `reply`, to everybody whom the message names. */
  readonly replyAll: (body: NewReply) => Effect.Effect<SentMail, MailroomFailure>
}

/** `_tag` is the kind of the event, such as `message.received` (docs/specification/events.md). */
export type Event = ReceivedMail | Exclude<MailEvent, MessageReceived>

export interface ConsumeOptions {
  /** kinds to handle; default all */
  readonly kinds?: ReadonlyArray<EventKind> | undefined
  /** mailboxes whose events are handled; default all */
  readonly mailboxes?: ReadonlyArray<MailboxId> | undefined
  /** where a consumer that is new starts: with the next event, or with the oldest of the last 30 days. Default now */
  readonly from?: "now" | "start" | undefined
  /** events that this process handles at a time. Default 1: in their order, except those that are tried again */
  readonly concurrency?: number | undefined
}

export class Events extends Context.Tag("mailroom/Events")<
  Events,
  {
    /**
     * Hands each event to `handler` at least once, until it is interrupted: also those that came while no process ran. A handler
     * that fails gets its event again, ten times over some eight hours; then the event is parked. All processes that use one
     * name share its events and so need the same options: an event that one of them passes over is passed over for all. Another name
     * gets all events for itself. A handler may take as long as it needs.
     */
    readonly consume: <E, R>(
      name: string,
      handler: (event: Event) => Effect.Effect<unknown, E, R>,
      options?: ConsumeOptions,
    ) => Effect.Effect<never, MailroomFailure, R>
    /** As `consume`, but returns when nothing is due: how many events it handled. For tests. */
    readonly drain: <E, R>(
      name: string,
      handler: (event: Event) => Effect.Effect<unknown, E, R>,
      options?: Omit<ConsumeOptions, "concurrency">,
    ) => Effect.Effect<number, MailroomFailure, R>
    /** The first 100 events that a consumer could not handle. */
    readonly parked: (name: string) => Effect.Effect<ReadonlyArray<ParkedEvent>, MailroomFailure>
    /** Tries the parked events of a consumer again, and returns how many they are. */
    readonly retryParked: (name: string) => Effect.Effect<number, MailroomFailure>
  }
>() {
  static readonly layer: Layer.Layer<Events, never, Consumers | EmbeddedAccount | Messages> = Layer.effect(
    Events,
    Effect.gen(function* () {
      const consumers = yield* Consumers
      const messages = yield* Messages
      const { principal } = yield* EmbeddedAccount

      /**
       * Each reply of a handler has the key of the lowest free number, so that the second one is another mail than the first. A reply
       * that fails frees its number: the call that repeats it has the same key, which it also has when the handler runs again.
       */
      const withReplies = (name: string, received: MessageReceived): ReceivedMail => {
        const used = new Set<number>()
        const take = Effect.sync(() => {
          let number = 1
          while (used.has(number)) number += 1
          used.add(number)
          return number
        })
        const answering =
          (send: (typeof Messages.Service)["reply"]): ReceivedMail["reply"] =>
          (body) =>
            Effect.acquireUseRelease(
              take,
              (number) =>
                send(received.message, body, { idempotencyKey: `${name}~${received.id}~${number}` }),
              (number, exit) => Effect.sync(() => Exit.isFailure(exit) && used.delete(number)),
            )
        return { ...received, reply: answering(messages.reply), replyAll: answering(messages.replyAll) }
      }

      const eventOf = (name: string, event: MailEvent): Event =>
        event._tag === "message.received" ? withReplies(name, event) : event

      const terms = (name: string, { kinds, mailboxes, from = "now" }: ConsumeOptions) => ({
        name,
        from,
        filter: {
          kinds: kinds === undefined ? null : HashSet.fromIterable(kinds),
          mailboxes: mailboxes === undefined ? null : HashSet.fromIterable(mailboxes),
        },
      })

      return {
        consume: (name, handler, options = {}) =>
          atBorder(
            consumers.consume(
              principal,
              { ...terms(name, options), concurrency: Math.max(1, options.concurrency ?? 1) },
              ({ event }) => handler(eventOf(name, event)),
            ),
          ),
        drain: (name, handler, options = {}) =>
          atBorder(
            consumers.drain(principal, terms(name, options), ({ event }) => handler(eventOf(name, event))),
          ),
        parked: (name) => orUnavailable(consumers.parked(principal, name)),
        retryParked: (name) => orUnavailable(consumers.retryParked(principal, name)),
      }
    }),
  )
}
