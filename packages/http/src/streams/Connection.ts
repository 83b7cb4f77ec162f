/** What one open event stream writes next (spec, Event stream): rules without a socket, a clock or a fiber. */
import type { EventRecord } from "@mailroom/domain"
import { Chunk, Effect, Option } from "effect"

const encoder = new TextEncoder()

/** Node sends the head of a response with its first bytes. */
const OPENING = encoder.encode(":ok\n\n")
const HEARTBEAT = encoder.encode(":heartbeat\n\n")
const RECONNECT = encoder.encode("event: reconnect\ndata: {}\n\n")

/** Heartbeats in a row that a reader may leave unread: after two minutes without a byte taken it is dropped. */
const UNREAD_HEARTBEATS_MAX = 4

type Written = Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<never>>

const end: Written = Effect.fail(Option.none())

export interface EventSource {
  /** the events to write next, none while there are none (`EventReader`) */
  readonly take: Effect.Effect<ReadonlyArray<EventRecord>>
  /** an event as text of the stream */
  readonly frame: (event: EventRecord) => Effect.Effect<string>
}

interface Handlers {
  /** `bytes` were handed over and not taken yet; 0 when all were taken */
  readonly onUnread: (connection: Connection, bytes: number) => void
  /** ends the response although its reader takes nothing */
  readonly destroy: () => void
}

export class Connection {
  private isOpening = true
  private isBeatDue = false
  private unreadBeats = 0
  private hasUnread = false
  private ending: "no" | "reconnect" | "now" = "no"
  /** continues `next`, which waits for something to write */
  private resume: (() => void) | null = null

  constructor(private readonly handlers: Handlers) {}

  /** There may be events to take. */
  wake(): void {
    const { resume } = this
    this.resume = null
    resume?.()
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
    if (this.hasUnread) this.handlers.destroy()
    else this.wake()
  }

  /** The bytes to write next; fails with none at the end. To be run again when they were taken. */
  next({ take, frame }: EventSource): Written {
    const again: Written = Effect.suspend(() => {
      this.setUnread(0)
      if (this.ending === "now") return end
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
      return Effect.flatMap(take, (events) =>
        events.length === 0
          ? Effect.zipRight(wait, again)
          : Effect.flatMap(Effect.forEach(events, frame), (frames) =>
              this.ending === "now" ? end : this.write(encoder.encode(frames.join(""))),
            ),
      )
    })
    const wait = Effect.async<void>((resume) => {
      this.resume = () => resume(Effect.void)
    })
    return again
  }

  private write(bytes: Uint8Array): Written {
    this.setUnread(bytes.length)
    return Effect.succeed(Chunk.of(bytes))
  }

  private setUnread(bytes: number): void {
    this.hasUnread = bytes > 0
    this.handlers.onUnread(this, bytes)
  }
}
