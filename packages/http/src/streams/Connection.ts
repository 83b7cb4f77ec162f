/** What one open event stream writes next (spec, Event stream): rules without a socket, a clock or a fiber. */
import type { EventRecord } from "@mailroom/domain"
import type { EventReader } from "@mailroom/engine"
import { Effect } from "effect"

const encoder = new TextEncoder()

/** Node sends the head of a response with its first bytes. */
const OPENING = encoder.encode(":ok\n\n")
const HEARTBEAT = encoder.encode(":heartbeat\n\n")
const RECONNECT = encoder.encode("event: reconnect\ndata: {}\n\n")

/** Heartbeats in a row that a reader may leave unread: after two minutes without a byte taken it is dropped. */
const UNREAD_HEARTBEATS_MAX = 4

/** What a stream does next: writes these bytes, waits to be woken, or ends. */
export type Step = Uint8Array | "wait" | "end"

export interface EventSource {
  readonly reader: Pick<EventReader, "take">
  /** an event as text of the stream */
  readonly frame: (event: EventRecord) => Effect.Effect<string>
}

const WAIT: Effect.Effect<Step> = Effect.succeed("wait")
const END: Effect.Effect<Step> = Effect.succeed("end")
const NO_EVENTS: EventSource = {
  reader: { take: Effect.succeed([]) },
  frame: ({ envelope }) => Effect.succeed(envelope),
}

/** Where the bytes of a stream go. */
export interface Output {
  /** Ends the response although its reader takes nothing. */
  readonly destroy: () => unknown
}

/** Writes the steps of a stream to its output. */
export interface Waiter {
  /** `next` has something else to say now. */
  readonly wake: () => void
}

const NOBODY: Waiter = { wake: () => {} }

interface Handlers {
  /** `bytes` were handed over and not taken yet; 0 when all were taken */
  readonly onUnread: (connection: Connection, bytes: number) => void
  /** The output is destroyed, because its reader took nothing. */
  readonly onDrop: () => void
}

export class Connection {
  private isOpening = true
  private isBeatDue = false
  private unreadBeats = 0
  private hasUnread = false
  private ending: "no" | "reconnect" | "now" = "no"
  private source: EventSource = NO_EVENTS
  private waiter: Waiter = NOBODY

  constructor(
    private readonly output: Output,
    private readonly handlers: Handlers,
  ) {}

  /** From now on the waiter is woken when `next` is to be asked again. */
  begin(source: EventSource, waiter: Waiter): void {
    this.source = source
    this.waiter = waiter
  }

  /** There may be events to take. */
  wake(): void {
    this.waiter.wake()
  }

  /** The reader has gone. */
  abandon(): void {
    this.ending = "now"
    this.setUnread(0)
    this.wake()
  }

  /** A heartbeat is due. */
  beat(): void {
    this.unreadBeats = this.isBeatDue ? this.unreadBeats + 1 : 0
    this.isBeatDue = true
    if (this.unreadBeats < UNREAD_HEARTBEATS_MAX) this.wake()
    else this.close()
  }

  /** Asks the reader to reconnect, and ends. */
  reconnect(): void {
    if (this.ending === "no") this.ending = "reconnect"
    this.wake()
  }

  /** Ends now, without a frame that asks to reconnect. What the reader has not taken is lost. */
  close(): void {
    this.ending = "now"
    if (!this.hasUnread) return this.wake()
    this.handlers.onDrop()
    this.output.destroy()
  }

  /** The next step. To be asked again when its bytes were taken. */
  get next(): Effect.Effect<Step> {
    return Effect.suspend(() => this.step())
  }

  private step(): Effect.Effect<Step> {
    this.setUnread(0)
    if (this.ending === "now") return END
    if (this.isOpening) {
      this.isOpening = false
      return this.write(OPENING)
    }
    if (this.ending === "reconnect") {
      this.ending = "now"
      return this.write(RECONNECT)
    }
    if (this.isBeatDue) {
      this.isBeatDue = false
      return this.write(HEARTBEAT)
    }
    const { reader, frame } = this.source
    return Effect.flatMap(reader.take, (events) =>
      events.length === 0
        ? WAIT
        : Effect.flatMap(Effect.forEach(events, frame), (frames) =>
            this.ending === "now" ? END : this.write(encoder.encode(frames.join(""))),
          ),
    )
  }

  private write(bytes: Uint8Array): Effect.Effect<Step> {
    this.setUnread(bytes.length)
    return Effect.succeed(bytes)
  }

  private setUnread(bytes: number): void {
    this.hasUnread = bytes > 0
    this.handlers.onUnread(this, bytes)
  }
}
