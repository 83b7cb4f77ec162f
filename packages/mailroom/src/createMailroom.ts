/** Mailroom for programs that do not use Effect: the same services with promises. */
import type { Mailbox, MailboxId, Message, ParkedEvent } from "@mailroom/domain"
import { Cause, Context, Data, Effect, Exit, Fiber, ManagedRuntime } from "effect"
import { EmbeddedAccount } from "./EmbeddedAccount.js"
import { type Event, Events, type ReceivedMail } from "./Events.js"
import {
  checkedEventHandler,
  checkedMailHandler,
  type EventHandlerOptions,
  type HandlerOptions,
} from "./handlerOptions.js"
import { Mailboxes } from "./Mailboxes.js"
import { Mailroom } from "./Mailroom.js"
import type { MessageListQuery } from "./MessageListQuery.js"
import {
  type MessageList,
  type MessageName,
  Messages,
  type NewMail,
  type NewReply,
  type SendOptions,
} from "./Messages.js"
import { type MailroomOptions, OptionsInvalid, type ReceiveOptions } from "./options.js"
import { Receiver } from "./Receiver.js"
import type { SentMail } from "./SentMail.js"

/** Milliseconds that `stop` and `close` wait for a handler to end. */
const GRACE = 10_000

/** A message that arrived, with promises. */
export type IncomingMail = Omit<ReceivedMail, "reply" | "replyAll"> & {
  /**
   * Answers the author, in the thread. When the handler runs again for the same mail, the call returns what became of its first
   * answer, and sends nothing. A call that rejects does not count: the next call takes its place.
   */
  readonly reply: (body: NewReply) => Promise<SentMail>
  /** As `reply`, to everybody whom the message names. */
  readonly replyAll: (body: NewReply) => Promise<SentMail>
}

/** `_tag` is the kind of the event, such as `message.received`. */
export type IncomingEvent = IncomingMail | Exclude<Event, ReceivedMail>

export interface HandlerContext {
  /** aborted when the handler should end: after `stop` and `close`, or when another process has taken the event */
  readonly signal: AbortSignal
}

/** A handler that runs. */
export interface Handling {
  /** Pending until `stop`. Rejects when the handler cannot run any more, which the log has as an error. */
  readonly stopped: Promise<void>
  /** Takes no more events, and waits up to 10 s for the handlers that run. */
  readonly stop: () => Promise<void>
}

/** `close` has ended this Mailroom. */
export class MailroomClosed extends Data.TaggedError("MailroomClosed")<{ readonly message: string }> {}

/** An embedded Mailroom. Its calls reject with `Refused` or `StorageUnavailable`, and after `close` with `MailroomClosed`. */
export interface RunningMailroom extends AsyncDisposable {
  /** the port that takes mail; null: mail is received nowhere */
  readonly port: number | null
  /** what the DNS of the domain must say before mail comes from outside */
  readonly dnsRecords: (typeof EmbeddedAccount.Service)["dnsRecords"]
  readonly mailboxes: {
    /** The mailbox with this address before the `@`. Makes it if there is none. */
    readonly adopt: (name: string) => Promise<Mailbox>
    readonly get: (id: MailboxId) => Promise<Mailbox>
    readonly list: () => Promise<ReadonlyArray<Mailbox>>
    readonly remove: (id: MailboxId) => Promise<void>
  }
  readonly messages: {
    readonly send: (
      from: { readonly id: MailboxId },
      mail: NewMail,
      options?: SendOptions,
    ) => Promise<SentMail>
    readonly reply: (message: MessageName, body: NewReply, options?: SendOptions) => Promise<SentMail>
    readonly replyAll: (message: MessageName, body: NewReply, options?: SendOptions) => Promise<SentMail>
    readonly get: (message: MessageName) => Promise<Message>
    /** A page of the messages of a mailbox that match, newest first. `next` of it, as `after`, leads to the next page. */
    readonly list: (mailbox: { readonly id: MailboxId }, query?: MessageListQuery) => Promise<MessageList>
  }
  /**
   * Calls `handler` with every mail that arrives, at least once, also with mail that came while no process ran. A handler that
   * throws gets its mail again, ten times over some eight hours; then it is parked. Throws `OptionsInvalid` for a handler that is no
   * function, for options that are unknown or wrong, and while another handler with the same name runs.
   */
  readonly onMessage: (
    handler: (mail: IncomingMail, context: HandlerContext) => unknown,
    options?: HandlerOptions,
  ) => Handling
  /** As `onMessage`, with every event. */
  readonly onEvent: (
    handler: (event: IncomingEvent, context: HandlerContext) => unknown,
    options?: EventHandlerOptions,
  ) => Handling
  /**
   * Uses a renewed certificate, in PEM, for handshakes from then on. Rejects with `OptionsInvalid` when the key does not fit it, and
   * when `receive.tls` was not given at the start; then the certificate before stays.
   */
  readonly useCertificate: (tls: NonNullable<ReceiveOptions["tls"]>) => Promise<void>
  /** The first 100 events that a handler could not handle. */
  readonly parked: (name?: string) => Promise<ReadonlyArray<ParkedEvent>>
  /** Tries parked events again, and returns how many they are. */
  readonly retryParked: (name?: string) => Promise<number>
  /** Ends the handlers, the receiver and the background work, and closes the storage. Further calls wait for the same end. */
  readonly close: () => Promise<void>
}

const DEFAULT_NAME = "default"

const closed = () =>
  new MailroomClosed({ message: "This Mailroom is closed. Start another one with `createMailroom`" })

/** The value of a run, or its error itself instead of one that wraps it. */
const settled = async <A, E>(exit: Promise<Exit.Exit<A, E>>): Promise<A> =>
  Exit.match(await exit, {
    onSuccess: (value) => value,
    onFailure: (cause) => {
      throw Cause.squash(cause)
    },
  })

/** Starts Mailroom in this process. Rejects with the reason when it cannot start. */
export const createMailroom = async (options: MailroomOptions = {}): Promise<RunningMailroom> => {
  const runtime = ManagedRuntime.make(Mailroom.layer(options))
  let isClosed = false
  const run = <A, E>(
    effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Context<typeof runtime>>,
  ): Promise<A> => (isClosed ? Promise.reject(closed()) : settled(runtime.runPromiseExit(effect)))
  const context = await run(
    Effect.context<EmbeddedAccount | Events | Mailboxes | Messages | Receiver>(),
  ).catch(async (error: unknown) => {
    // What has started until then is stopped, and leaves the database to the next start.
    await runtime.dispose()
    throw error
  })
  const mailboxes = Context.get(context, Mailboxes)
  const messages = Context.get(context, Messages)
  const events = Context.get(context, Events)
  const receiver = Context.get(context, Receiver)

  const withPromises = (event: Event): IncomingEvent =>
    event._tag === "message.received"
      ? {
          ...event,
          reply: (body) => run(event.reply(body)),
          replyAll: (body) => run(event.replyAll(body)),
        }
      : event

  /** Calls a handler. An interruption aborts its signal, and waits some time for it to end. */
  const called = (handler: (context: HandlerContext) => unknown) =>
    Effect.async<void, unknown>((resume) => {
      const controller = new AbortController()
      const running = Promise.resolve().then(() => handler({ signal: controller.signal }))
      running.then(
        () => resume(Effect.void),
        (error: unknown) => resume(Effect.fail(error)),
      )
      return Effect.suspend(() => {
        controller.abort()
        return Effect.promise(() => running.catch(() => undefined)).pipe(
          // Inside: a finalizer cannot be interrupted otherwise, not even by its time-out.
          Effect.interruptible,
          Effect.timeoutOption(GRACE),
          Effect.asVoid,
        )
      })
    })

  /** The handlers that run, by name. */
  const handling = new Map<string, Fiber.RuntimeFiber<never, unknown>>()
  let closing: Promise<void> | undefined

  const handle = (
    handler: Parameters<RunningMailroom["onEvent"]>[0],
    { name = DEFAULT_NAME, ...given }: EventHandlerOptions,
  ): Handling => {
    if (closing !== undefined) {
      const stopped = Promise.reject(closed())
      stopped.catch(() => undefined)
      return { stopped, stop: async () => undefined }
    }
    if (handling.has(name))
      throw new OptionsInvalid({
        message: `A handler with the name ${name} runs: the two would share its events. Give each a \`name\` of its own`,
      })
    const consumed = events.consume(
      name,
      (event) => called((handlerContext) => handler(withPromises(event), handlerContext)),
      given,
    )
    const fiber = runtime.runFork(
      Effect.tapErrorCause(consumed, (cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.void
          : Effect.logError(`The handler ${name} has stopped, and handles nothing any more`, cause),
      ),
    )
    handling.set(name, fiber)
    fiber.addObserver(() => void handling.delete(name))
    const ending = async () => {
      const ended = await Effect.runPromise(Fiber.await(fiber))
      if (Exit.isFailure(ended) && !Cause.isInterruptedOnly(ended.cause)) throw Cause.squash(ended.cause)
    }
    const stopped = ending()
    stopped.catch(() => undefined)
    return { stopped, stop: async () => void (await Effect.runPromise(Fiber.interrupt(fiber))) }
  }

  const end = async () => {
    // A handler may send its answer before it ends.
    await Effect.runPromise(Fiber.interruptAll([...handling.values()]))
    isClosed = true
    await runtime.dispose()
  }
  const close = () => (closing ??= end())
  return {
    port: receiver.port,
    dnsRecords: Context.get(context, EmbeddedAccount).dnsRecords,
    mailboxes: {
      adopt: (name) => run(mailboxes.adopt(name)),
      get: (id) => run(mailboxes.get(id)),
      list: () => run(mailboxes.list),
      remove: (id) => run(mailboxes.remove(id)),
    },
    messages: {
      send: (...given) => run(messages.send(...given)),
      reply: (...given) => run(messages.reply(...given)),
      replyAll: (...given) => run(messages.replyAll(...given)),
      get: (message) => run(messages.get(message)),
      list: (...given) => run(messages.list(...given)),
    },
    onEvent: (handler, given = {}) => handle(handler, checkedEventHandler(handler, given)),
    onMessage: (handler, given = {}) =>
      handle(
        (event, handlerContext) =>
          event._tag === "message.received" ? handler(event, handlerContext) : undefined,
        { ...checkedMailHandler(handler, given), kinds: ["message.received"] },
      ),
    useCertificate: (tls) => run(receiver.useCertificate(tls)),
    parked: (name = DEFAULT_NAME) => run(events.parked(name)),
    retryParked: (name = DEFAULT_NAME) => run(events.retryParked(name)),
    close,
    [Symbol.asyncDispose]: close,
  }
}
