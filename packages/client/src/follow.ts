/** Follows the events of an account: the stream as long as it lasts, and the log for what it missed. */
import { PaymentError } from "./generated/errors.js"
import type { EventKind, EventLogPage } from "./generated/types.js"
import { ConnectionError, type MailroomError } from "./MailroomError.js"
import type { Page } from "./Page.js"
import { isPassing, sleep, unlimitedDelayBefore } from "./retrying.js"
import { framesOf } from "./sse.js"
import type { Transport } from "./Transport.js"

/** An event with its id; `event` is its kind. */
export type MailroomEvent = EventLogPage["events"][number]

/** Where a consumer keeps its position, such as a file or a row of a database. */
export interface EventCursor {
  /** the position that was saved last; null or undefined at the first start */
  readonly load: () => Promise<string | null | undefined> | string | null | undefined
  /** stores a position: the id of an event, or an empty text before the first event of the account */
  readonly save: (position: string) => Promise<void> | void
}

export interface EventsOptions {
  /** id of the event after which to begin, empty for the beginning of the log; by default the position of the cursor, else now */
  readonly after?: string | undefined
  /** only events of these kinds */
  readonly types?: ReadonlyArray<EventKind> | undefined
  /** only events of these mailboxes */
  readonly mailboxIds?: ReadonlyArray<string> | undefined
  /** ends the iteration, without an error */
  readonly signal?: AbortSignal | undefined
  /** keeps the position over restarts. An event is saved when the consumer asks for the one after it */
  readonly cursor?: EventCursor | undefined
  /** called when the stream is connected: at first, and again after a loss. Then the events that were missed come */
  readonly onConnect?: (() => void) | undefined
  /** called when the connection is lost, with the milliseconds after which it is opened again */
  readonly onDisconnect?: ((reason: MailroomError, delay: number) => void) | undefined
}

/** Milliseconds without a byte after which a connection counts as broken: two heartbeats of 30 seconds, and some. */
const LONGEST_SILENCE = 75_000
/** Milliseconds between two attempts to connect, at most. */
const LONGEST_DELAY = 30_000
/** Milliseconds within which streams that the service ends are opened again, so that not all come back at once. */
const RECONNECT_SPREAD = 500

/** The position before the first event of an account. */
const START = ""

/** The counter in `{timestamp_ms}-{counter}-{random}`, which grows with the events of an account. */
const counterOf = (id: string): number => Number(id.split("-")[1])

class Follower {
  /** the last event that was looked at; undefined while that is unknown */
  #position: string | undefined
  readonly #selection: { readonly events?: string; readonly mailboxId?: string }

  constructor(
    private readonly transport: Transport,
    private readonly options: EventsOptions,
  ) {
    const { types, mailboxIds = [] } = options
    const [mailboxId] = mailboxIds
    this.#selection = {
      ...(types !== undefined && { events: types.join(",") }),
      // The service selects one mailbox; several are selected here.
      ...(mailboxId !== undefined && mailboxIds.length === 1 && { mailboxId }),
    }
  }

  /** A page of the log. Undefined while payment is required, when only the stream can be read. */
  async #logPage(query: object): Promise<Page<MailroomEvent, EventLogPage> | undefined> {
    const { signal } = this.options
    try {
      return await this.transport.list<MailroomEvent, EventLogPage>("events.log", [], { query }, { signal })
    } catch (error) {
      if (error instanceof PaymentError) return undefined
      throw error
    }
  }

  /** Where to begin. A new cursor is saved at once: what comes before its first event is then not lost by a restart. */
  async #start(): Promise<string | undefined> {
    const { after, cursor } = this.options
    const saved = after ?? (await cursor?.load()) ?? undefined
    if (saved !== undefined) return saved
    const page = await this.#logPage({ after: "latest" })
    if (page === undefined) return undefined
    const position = page.body.metadata.nextAfter ?? START
    await cursor?.save(position)
    return position
  }

  #isNew(id: string): boolean {
    if (this.#position === undefined || this.#position === START) return true
    return counterOf(id) > counterOf(this.#position)
  }

  #isWanted({ data }: MailroomEvent): boolean {
    const { mailboxIds } = this.options
    return mailboxIds === undefined || mailboxIds.includes(data.mailbox_id)
  }

  /** The events in the log after the position. */
  async *#logged(): AsyncGenerator<MailroomEvent, void, undefined> {
    for (let hasMore = this.#position !== undefined; hasMore;) {
      const after = this.#position === START ? undefined : this.#position
      const page = await this.#logPage({ ...this.#selection, after, limit: 100 })
      if (page === undefined) return
      for (const event of page.items) {
        this.#position = event.id
        if (this.#isWanted(event)) yield event
      }
      this.#position = page.body.metadata.nextAfter ?? this.#position
      hasMore = page.hasMore
    }
  }

  /**
   * The events of one connection. First those of the log: the stream replays an hour at most, and the log has everything up
   * to the moment when the stream was opened.
   */
  async *#connection(signal: AbortSignal): AsyncGenerator<MailroomEvent, void, undefined> {
    const position = this.#position
    const { body } = await this.transport.bytes(
      "events.stream",
      [],
      { query: this.#selection },
      { signal, maxRetries: 0, ...(position && { headers: { "last-event-id": position } }) },
    )
    if (body === null) throw new ConnectionError("The event stream has no body.")
    this.options.onConnect?.()
    yield* this.#logged()
    for await (const { id, event, data } of framesOf(body, LONGEST_SILENCE, signal)) {
      if (event === "reconnect") return
      if (id === undefined || !this.#isNew(id)) continue
      this.#position = id
      const happened: MailroomEvent = { id, ...JSON.parse(data) }
      if (this.#isWanted(happened)) yield happened
    }
    throw new ConnectionError("The event stream ended.")
  }

  /**
   * `#connection` with a signal of its own, which closes the stream however the iteration ends: while the log is read, nothing reads
   * the stream yet, and an account may have five.
   */
  async *#oneConnection(): AsyncGenerator<MailroomEvent, void, undefined> {
    const { signal } = this.options
    const controller = new AbortController()
    const abort = () => controller.abort(signal?.reason)
    signal?.addEventListener("abort", abort)
    if (signal?.aborted === true) abort()
    try {
      yield* this.#connection(controller.signal)
    } finally {
      signal?.removeEventListener("abort", abort)
      controller.abort()
    }
  }

  /** Every event, over as many connections as it takes. Fails with errors that time does not heal. */
  async *follow(): AsyncGenerator<MailroomEvent, void, undefined> {
    const { signal, cursor, onDisconnect } = this.options
    let failures = 0
    for (let isStarted = false; ;)
      try {
        if (!isStarted) this.#position = await this.#start()
        isStarted = true
        for await (const event of this.#oneConnection()) {
          failures = 0
          yield event
          await cursor?.save(event.id)
        }
        failures = 0
        await sleep(Math.random() * RECONNECT_SPREAD, signal)
      } catch (error) {
        if (signal?.aborted === true) return
        if (!isPassing(error)) throw error
        const delay = unlimitedDelayBefore(failures++, error, LONGEST_DELAY)
        onDisconnect?.(error, delay)
        await sleep(delay, signal).catch(() => undefined)
      }
  }
}

export const follow = (
  transport: Transport,
  options: EventsOptions,
): AsyncGenerator<MailroomEvent, void, undefined> => new Follower(transport, options).follow()
