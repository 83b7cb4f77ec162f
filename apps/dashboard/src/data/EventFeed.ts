/**
 * The events of the account for one tab: each once, in the order of the log, and without a gap. A tab reads the stream itself, or
 * hears of its events from the tab that does.
 */
import { type EventCursor, type Events, type MailroomEvent, PaymentError } from "@mailroom/client"

/** How far a tab has seen the events of its account. It outlives the times when the tab is hidden. */
export interface Position {
  /** id of the newest event that was seen; empty before the first event of the account, undefined while unknown */
  id: string | undefined
}

/** The counter in `{timestamp_ms}-{counter}-{random}`, which grows with the events of an account (spec: decisions.stream.counter). */
const counterOf = (id: string): number => Number(id.split("-")[1])

/** Events of a page of the log: the most that the service gives. */
const PAGE = 100

export class EventFeed {
  /** `behind`: the log may have events that this tab has not seen, so an event of another tab must not move the position */
  #state: "behind" | "reading" | "level" = "behind"
  /** what other tabs told while the log was read */
  #told: Array<MailroomEvent> = []

  /** The position, for the client that reads the stream. */
  readonly cursor: EventCursor = {
    load: () => this.position.id,
    save: (id) => {
      this.position.id = id
    },
  }

  /** Ends with the signal. */
  constructor(
    private readonly log: Events["log"],
    private readonly position: Position,
    private readonly onEvent: (event: MailroomEvent) => void,
    private readonly signal: AbortSignal,
  ) {}

  #isNew(id: string): boolean {
    const seen = this.position.id
    return seen === undefined || seen === "" || counterOf(id) > counterOf(seen)
  }

  /** The next event, of the stream or of the log. */
  take(event: MailroomEvent): void {
    if (this.signal.aborted || !this.#isNew(event.id)) return
    this.position.id = event.id
    this.onEvent(event)
  }

  /** An event of the stream that another tab reads. */
  hear(event: MailroomEvent): void {
    if (this.#state === "level") this.take(event)
    else if (this.#state === "reading") this.#told.push(event)
    // The log could not be read before. It has this event, too.
    else void this.catchUp()
  }

  /** Reads what came since the position; at the first time, where the log ends. Where it fails, the next event tries again. */
  async catchUp(): Promise<void> {
    if (this.#state !== "behind") return
    this.#state = "reading"
    try {
      await this.#readLog()
      this.#state = "level"
    } catch (error) {
      // While payment is required the log cannot be read, and the stream can.
      this.#state = error instanceof PaymentError ? "level" : "behind"
    }
    const told = this.#told
    this.#told = []
    if (this.#state === "level") for (const event of told) this.take(event)
  }

  async #readLog(): Promise<void> {
    const { position, signal } = this
    if (position.id === undefined) {
      const { body } = await this.log({ after: "latest" }, { signal })
      if (!signal.aborted) position.id = body.metadata.nextAfter ?? ""
      return
    }
    const after = position.id === "" ? undefined : position.id
    for await (const event of this.log({ after, limit: PAGE }, { signal })) this.take(event)
  }
}
