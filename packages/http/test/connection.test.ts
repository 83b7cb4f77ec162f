/** What an event stream writes next, and when it gives its reader up (docs/decisions/0041). */
import { describe, expect, it } from "@effect/vitest"
import { AccountId, type EventRecord, MailboxId } from "@mailroom/domain"
import { Effect } from "effect"
import { Connection } from "../src/streams/Connection.js"

const decoder = new TextDecoder()

const anEvent = (envelope: string): EventRecord => ({
  accountId: AccountId.make("00000000-0000-7000-8000-000000000001"),
  seq: 1,
  id: "0-1-abcd",
  mailboxId: MailboxId.make("00000000-0000-7000-8000-000000000002"),
  kind: "message.sent",
  envelope,
  createdAt: 0,
})

/** A connection that gets these events, a page each time it asks. */
const opened = (...pages: ReadonlyArray<ReadonlyArray<string>>) => {
  const left = [...pages]
  const seen = { unread: 0, destroyed: 0, wakes: 0 }
  const output = {
    destroy: () => {
      seen.destroyed++
    },
  }
  const connection = new Connection(output, {
    onUnread: (_, bytes) => {
      seen.unread = bytes
    },
    onDrop: () => {},
  })
  const source = {
    reader: { take: Effect.sync(() => (left.shift() ?? []).map(anEvent)) },
    frame: ({ envelope }: EventRecord) => Effect.succeed(`${envelope}\n`),
  }
  connection.begin(source, {
    wake: () => {
      seen.wakes++
    },
  })
  const step = Effect.map(connection.next, (one) => (typeof one === "string" ? one : decoder.decode(one)))
  return { connection, seen, step }
}

describe("an event stream", () => {
  it.effect("opens, writes a page of events at a time, and waits", () =>
    Effect.gen(function* () {
      const { step } = opened(["a", "b"], ["c"])
      expect([yield* step, yield* step, yield* step, yield* step]).toEqual([
        ":ok\n\n",
        "a\nb\n",
        "c\n",
        "wait",
      ])
    }),
  )

  it.effect("writes a heartbeat before events, however many wait", () =>
    Effect.gen(function* () {
      const { connection, seen, step } = opened(["a"], ["b"])
      yield* step
      connection.heartbeat()
      expect(seen.wakes).toBe(1)
      expect([yield* step, yield* step]).toEqual([":heartbeat\n\n", "a\n"])
    }),
  )

  it.effect("asks to reconnect before it writes what is left, and ends", () =>
    Effect.gen(function* () {
      const { connection, step } = opened(["a"])
      yield* step
      connection.reconnect()
      expect([yield* step, yield* step, yield* step]).toEqual([
        "event: reconnect\ndata: {}\n\n",
        "end",
        "end",
      ])
    }),
  )

  it.effect("ends without a word when its caller may no longer listen", () =>
    Effect.gen(function* () {
      const { connection, seen, step } = opened(["a"])
      yield* step
      yield* step
      yield* step
      connection.close()
      expect([yield* step, seen.destroyed]).toEqual(["end", 0])
    }),
  )
})

describe("a reader that takes nothing", () => {
  it.effect("is dropped after four heartbeats that it did not read, not before", () =>
    Effect.gen(function* () {
      const { connection, seen, step } = opened(["a"])
      yield* step
      yield* step
      for (let beats = 0; beats < 4; beats++) connection.heartbeat()
      expect(seen).toMatchObject({ unread: 2, destroyed: 0 })
      connection.heartbeat()
      expect(seen.destroyed).toBe(1)
    }),
  )

  it.effect("is not dropped when it reads one of them", () =>
    Effect.gen(function* () {
      const { connection, seen, step } = opened()
      yield* step
      for (let beats = 0; beats < 20; beats++) {
        connection.heartbeat()
        if (beats % 4 === 3) expect(yield* step).toBe(":heartbeat\n\n")
      }
      expect(seen.destroyed).toBe(0)
    }),
  )

  it.effect("is dropped at once when its caller may no longer listen", () =>
    Effect.gen(function* () {
      const { connection, seen, step } = opened()
      yield* step
      connection.close()
      expect(seen.destroyed).toBe(1)
    }),
  )
})
