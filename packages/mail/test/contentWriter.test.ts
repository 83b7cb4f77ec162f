/** Where the bytes of a message go while it arrives, and how many are in memory. */
import { INLINE_MAX_BYTES } from "@mailroom/domain"
import { type RawContent, MailSpool } from "@mailroom/engine"
import { eventLoopTurns } from "@mailroom/test-services"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Runtime, Stream } from "effect"
import * as FastCheck from "effect/FastCheck"
import { makeContentWriter, makeReceivingMemory, type Run } from "../src/receiving/contentWriter.js"

const CHUNK = 64 * 1024

/** A writer to a blob store that a test lets read chunk by chunk. */
const start = (memoryMax: number) =>
  Effect.gen(function* () {
    const fork = Runtime.runCallback(yield* Effect.runtime())
    const run: Run = (effect, onExit) => void fork(effect, { onExit })
    const memory = makeReceivingMemory(memoryMax)
    const gate = yield* Deferred.make<void>()
    const discarded = yield* Deferred.make<void>()
    const content = yield* Deferred.make<RawContent>()
    const rooms: Array<"room"> = []
    /** the pieces that the blob store read */
    const stored: Array<Uint8Array> = []
    const writer = makeContentWriter({
      spool: MailSpool.of({
        recipients: () => Effect.succeed([]),
        accept: () => Effect.void,
        discard: () => Effect.asVoid(Deferred.succeed(discarded, undefined)),
        stage: (bytes) =>
          Stream.runFoldEffect(bytes, 0, (size, piece) => {
            stored.push(piece)
            return Effect.as(Deferred.await(gate), size + piece.length)
          }).pipe(Effect.map((sizeBytes) => ({ kind: "blob" as const, key: "key", sizeBytes }))),
      }),
      run,
      memory,
      onRoom: () => rooms.push("room"),
      onContent: (exit) => {
        if (Exit.isSuccess(exit)) Deferred.unsafeDone(content, exit)
      },
    })
    return {
      writer,
      memory,
      rooms,
      stored,
      discarded,
      content: Deferred.await(content),
      open: Deferred.succeed(gate, undefined),
    }
  })

const chunk = () => Buffer.alloc(CHUNK, "x")

describe("the bytes of a message", () => {
  it.effect("of a small message stay in memory, and count until they are released", () =>
    Effect.gen(function* () {
      const { writer, memory, content } = yield* start(CHUNK)
      expect(writer.add(chunk())).toBe(true)
      writer.complete()
      expect(yield* content).toMatchObject({ kind: "inline" })
      memory.take(1)
      expect(memory.isFull()).toBe(true)
      writer.release()
      writer.release()
      expect(memory.isFull()).toBe(false)
    }),
  )

  it.effect("are whole, however they come in pieces", () =>
    Effect.gen(function* () {
      const sizes = FastCheck.array(
        FastCheck.oneof(FastCheck.integer({ min: 1, max: 3 }), FastCheck.integer({ min: 1, max: 9_000 })),
        { minLength: 1, maxLength: 25 },
      )
      for (const some of FastCheck.sample(sizes, { numRuns: 200, seed: 1 })) {
        const pieces = some.map((size, index) => Buffer.alloc(size, String.fromCharCode(97 + index)))
        const { writer, content } = yield* start(CHUNK)
        for (const piece of pieces) writer.add(piece)
        writer.complete()
        expect(yield* content).toEqual({ kind: "inline", bytes: Buffer.concat(pieces) })
      }
    }),
  )

  it.effect(
    "that come one at a time are kept in blocks: a buffer for each would take 300 times as much",
    () =>
      Effect.gen(function* () {
        const { writer, memory, stored, content, open } = yield* start(CHUNK)
        memory.take(CHUNK)
        for (let count = 0; count < 40_000; count++) writer.add(Buffer.from([count % 256]))
        writer.complete()
        yield* open
        expect(yield* content).toEqual({ kind: "blob", key: "key", sizeBytes: 40_000 })
        expect(stored.length).toBeLessThan(6)
        const bytes = Buffer.concat(stored)
        expect(bytes.every((byte, index) => byte === index % 256)).toBe(true)
      }),
  )

  it.effect("go to the blob store while the memory of all sessions is full", () =>
    Effect.gen(function* () {
      const { writer, memory, content, open } = yield* start(CHUNK)
      memory.take(CHUNK)
      writer.add(Buffer.from("small"))
      yield* open
      writer.complete()
      expect(yield* content).toEqual({ kind: "blob", key: "key", sizeBytes: 5 })
      memory.release(CHUNK)
      memory.take(CHUNK)
      expect(memory.isFull()).toBe(false)
    }),
  )

  it.effect("wait while the blob store is slow, and the client waits with them", () =>
    Effect.gen(function* () {
      const { writer, rooms, content, open } = yield* start(Number.MAX_SAFE_INTEGER)
      let chunks = 1
      while (writer.add(chunk())) chunks++
      // The bytes that may wait, and one more write.
      expect(chunks * CHUNK).toBeGreaterThan(INLINE_MAX_BYTES)
      expect(chunks * CHUNK).toBeLessThanOrEqual(512 * 1024)
      expect(rooms).toEqual([])
      yield* open
      yield* eventLoopTurns(1)
      expect(rooms).toEqual(["room"])
      writer.complete()
      expect(yield* content).toEqual({ kind: "blob", key: "key", sizeBytes: chunks * CHUNK })
    }),
  )

  it.effect("are discarded when the message is refused, also after its end", () =>
    Effect.gen(function* () {
      const { writer, memory, discarded, open } = yield* start(CHUNK * 16)
      while (writer.add(chunk()));
      writer.complete()
      writer.abandon()
      yield* open
      yield* Deferred.await(discarded)
      memory.take(CHUNK * 16)
      expect(memory.isFull()).toBe(false)
    }),
  )
})
