/** What the open streams of a process have in common (docs/decisions/0041). */
import { describe, expect, it } from "@effect/vitest"
import { AccountId, type EventRecord, MailboxId } from "@mailroom/domain"
import { Draining } from "@mailroom/http"
import { Effect, Layer, type Scope } from "effect"
import { OpenStreams } from "../src/streams/OpenStreams.js"

const MB = 1024 * 1024

const event: EventRecord = {
  accountId: AccountId.make("00000000-0000-7000-8000-000000000001"),
  seq: 1,
  id: "0-1-abcd",
  mailboxId: MailboxId.make("00000000-0000-7000-8000-000000000002"),
  kind: "message.received",
  envelope: "e".repeat(9 * MB),
  createdAt: 0,
}

/** A stream of large events that has been handed `steps` pieces, the opening first. */
const opened = (name: string, dropped: Array<string>, steps: number) =>
  Effect.gen(function* () {
    const { open } = yield* OpenStreams
    const connection = yield* open({ destroy: () => dropped.push(name) })
    const frame = ({ envelope }: EventRecord) => Effect.succeed(envelope)
    connection.begin({ reader: { take: Effect.succeed([event]) }, frame }, { wake: () => {} })
    for (let step = 0; step < steps; step++) yield* connection.next
    return connection
  })

const rule = <A, E>(name: string, body: Effect.Effect<A, E, OpenStreams | Draining | Scope.Scope>) =>
  it.scoped(name, () => Effect.provide(body, Layer.provideMerge(OpenStreams.layer, Draining.layer)))

describe("slow readers", () => {
  rule(
    "hold 48 MB together; beyond, the one that has waited longest is dropped",
    Effect.gen(function* () {
      const dropped: Array<string> = []
      const names = ["one", "two", "three", "four", "five"]
      const streams = yield* Effect.forEach(names, (name) => opened(name, dropped, 2))
      expect(dropped).toEqual([])
      // The first has read what it was handed, and waits for the next piece.
      yield* streams[0]?.next ?? Effect.void
      yield* opened("six", dropped, 2)
      expect(dropped).toEqual(["two"])
      yield* opened("seven", dropped, 2)
      expect(dropped).toEqual(["two", "three"])
    }),
  )

  rule(
    "count no more once they are gone",
    Effect.gen(function* () {
      const dropped: Array<string> = []
      for (let readers = 0; readers < 20; readers++) yield* Effect.scoped(opened("gone", dropped, 2))
      expect(dropped).toEqual([])
    }),
  )
})

describe("when the server stops", () => {
  rule(
    "streams that are open ask to reconnect, and those that open after it",
    Effect.gen(function* () {
      const text = new TextDecoder()
      const before = yield* opened("before", [], 1)
      yield* Effect.flatMap(Draining, ({ begin }) => begin)
      for (const stream of [before, yield* opened("after", [], 1)]) {
        const step = yield* stream.next
        expect(typeof step === "string" ? step : text.decode(step)).toBe("event: reconnect\ndata: {}\n\n")
        expect(yield* stream.next).toBe("end")
      }
    }),
  )
})
