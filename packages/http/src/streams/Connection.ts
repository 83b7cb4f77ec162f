/** Decides what an open event stream writes next (docs/specification/channels.md). It has no socket, clock or fiber. */
import type { EventRecord } from "@mailroom/domain"
import type { EventReader } from "@mailroom/engine"
import { Effect } from "effect"

const encoder = new TextEncoder()

/** The first bytes of a stream. Node sends the head of a response together with its first bytes. */
const OPENING = encoder.encode(":ok\n\n")
const HEARTBEAT = encoder.encode(":heartbeat\n\n")
const RECONNECT = encoder.encode("event: reconnect\ndata: {}\n\n")

/** Heartbeats in a row that a reader may leave unread. A reader that takes no byte for two minutes is dropped. */
const UNREAD_HEARTBEATS_MAX = 4

/** The next step of a stream: write these bytes, wait to be woken, or end. */
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

/** The response of a stream. */
export interface Output {
  /** Ends the response even if its reader takes nothing. */
  readonly destroy: () => unknown
}

/** The writer of a stream, which takes its steps. */
export interface Waiter {
  /** `next` may have another step now. */
  readonly wake: () => void
}

const NOBODY: Waiter = { wake: () => {} }

interface Handlers {
  /** `bytes` were written and are not read yet; 0 when all were read */
  readonly onUnread: (connection: Connection, bytes: number) => void
  /** The output was destroyed, because its reader took nothing. */
  readonly onDrop: () => void
}

export class Connection {
  private isOpening = true
  private isHeartbeatDue = false
  private unreadHeartbeats = 0
  private hasUnread = false
  private ending: "no" | "reconnect" | "now" = "no"
  private source: EventSource = NO_EVENTS
  private waiter: Waiter = NOBODY

  constructor(
    private readonly output: Output,
    private readonly handlers: Handlers,
  ) {}

  /** Sets the source of events, and the writer that is woken when there is a next step. */
  begin(source: EventSource, waiter: Waiter): void {
    this.source = source
    this.waiter = waiter
  }

  /** Wakes the writer, because there may be events. */
  wake(): void {
    this.waiter.wake()
  }

  /** Ends the stream after its reader disconnected. */
  abandon(): void {
    this.ending = "now"
    this.setUnread(0)
    this.wake()
  }

  /** Writes a heartbeat, or drops a reader that has left too many unread. */
  heartbeat(): void {
    this.unreadHeartbeats = this.isHeartbeatDue ? this.unreadHeartbeats + 1 : 0
    this.isHeartbeatDue = true
    if (this.unreadHeartbeats < UNREAD_HEARTBEATS_MAX) this.wake()
    else this.close()
  }

  /** Asks the reader to reconnect, and ends. */
  reconnect(): void {
    if (this.ending === "no") this.ending = "reconnect"
    this.wake()
  }

  /** Ends now, without asking to reconnect. Bytes that the reader has not taken are lost. */
  close(): void {
    this.ending = "now"
    if (!this.hasUnread) return this.wake()
    this.handlers.onDrop()
    this.output.destroy()
  }

  /** The next step. The writer asks for the one after it once these bytes were taken. */
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
    if (this.isHeartbeatDue) {
      this.isHeartbeatDue = false
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
