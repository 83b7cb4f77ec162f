/** Contract of the port `Blobs`. */
import { describe, expect, layer } from "@effect/vitest"
import { Blobs } from "@mailroom/engine"
import { Chunk, Deferred, Effect, Exit, Fiber, type Layer, Option, Stream } from "effect"

const bytesOf = (text: string) => new TextEncoder().encode(text)

const read = (content: Stream.Stream<Uint8Array>) =>
  Effect.map(Stream.runCollect(content), (parts) => Buffer.concat(Chunk.toReadonlyArray(parts)))

const textOf = (key: string, range?: { readonly start: number; readonly end: number }) =>
  Effect.gen(function* () {
    const blob = yield* Effect.flatMap(Blobs, (blobs) => blobs.get(key, range))
    return Option.isNone(blob)
      ? null
      : { sizeBytes: blob.value.sizeBytes, text: (yield* read(blob.value.content)).toString("latin1") }
  })

const put = (key: string, text: string) =>
  Effect.flatMap(Blobs, (blobs) => blobs.put(key, Stream.make(bytesOf(text))))

export const blobsContract = <E>(name: string, blobs: Layer.Layer<Blobs, E>) =>
  describe(`${name} as Blobs`, () => {
    layer(blobs)((it) => {
      it.effect("returns the content and its size", () =>
        Effect.gen(function* () {
          expect(yield* put("attachments/one", "hello")).toEqual({ sizeBytes: 5 })
          expect(yield* textOf("attachments/one")).toEqual({ sizeBytes: 5, text: "hello" })
        }),
      )

      it.effect("reads the whole content or its start into shared memory", () =>
        Effect.gen(function* () {
          yield* put("shared", "hello")
          const blobs = yield* Blobs
          const textOfRead = (max?: number) =>
            Effect.map(
              blobs.read("shared", max),
              Option.map((bytes) => [
                Buffer.from(bytes).toString(),
                bytes.buffer instanceof SharedArrayBuffer,
              ]),
            )
          expect(yield* textOfRead()).toEqual(Option.some(["hello", true]))
          expect(yield* textOfRead(2)).toEqual(Option.some(["he", true]))
          expect(yield* textOfRead(6)).toEqual(Option.some(["hello", true]))
          expect(yield* textOfRead(0)).toEqual(Option.some(["", true]))
          expect(yield* blobs.read("absent")).toEqual(Option.none())
        }),
      )

      it.effect("reads into the memory that it is given, whose former content stays behind the end", () =>
        Effect.gen(function* () {
          yield* put("given", "hello")
          const blobs = yield* Blobs
          const memory = new SharedArrayBuffer(8)
          Buffer.from(memory).fill("x")
          const bytes = Option.getOrThrow(
            yield* blobs.read("given", undefined, (size) => new Uint8Array(memory, 0, size)),
          )
          expect(bytes.buffer).toBe(memory)
          expect(Buffer.from(bytes).toString()).toBe("hello")
          expect(Buffer.from(memory).toString()).toBe("helloxxx")
        }),
      )

      it.effect("writes to that memory no more once reading is interrupted", () =>
        Effect.gen(function* () {
          const blobs = yield* Blobs
          const size = 4 * 1024 * 1024
          yield* blobs.put("interrupted", Stream.make(Buffer.alloc(size, 1)))
          const memory = new Uint8Array(new SharedArrayBuffer(size))
          for (let turns = 0; turns <= 10; turns++) {
            const given = yield* Deferred.make<void>()
            const reading = yield* Effect.fork(
              blobs.read("interrupted", undefined, () => {
                Deferred.unsafeDone(given, Effect.void)
                return memory
              }),
            )
            yield* Deferred.await(given)
            for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow()
            yield* Fiber.interrupt(reading)
            memory.fill(0)
            // What the reading had begun would end before this.
            yield* blobs.read("interrupted")
            expect(memory.includes(1)).toBe(false)
          }
        }),
      )

      it.effect("finds no blob under another key", () =>
        Effect.gen(function* () {
          yield* put("attachments/known", "hello")
          expect(yield* textOf("attachments/unknown")).toBeNull()
          expect(yield* textOf("attachments")).toBeNull()
        }),
      )

      it.effect("returns the content any number of times", () =>
        Effect.gen(function* () {
          yield* put("twice", "hello")
          const blob = Option.getOrThrow(yield* Effect.flatMap(Blobs, (blobs) => blobs.get("twice")))
          expect((yield* read(blob.content)).toString()).toBe("hello")
          expect((yield* read(blob.content)).toString()).toBe("hello")
        }),
      )

      it.effect("replaces a blob under the same key", () =>
        Effect.gen(function* () {
          yield* put("replaced", "a long first version")
          yield* put("replaced", "second")
          expect(yield* textOf("replaced")).toEqual({ sizeBytes: 6, text: "second" })
        }),
      )

      it.effect("distinguishes a key from keys that begin with it", () =>
        Effect.gen(function* () {
          yield* put("raw/a", "short")
          yield* put("raw/a/b", "long")
          expect((yield* textOf("raw/a"))?.text).toBe("short")
          expect((yield* textOf("raw/a/b"))?.text).toBe("long")
        }),
      )

      it.effect("returns a range, inclusive at both ends, with the size of the blob", () =>
        Effect.gen(function* () {
          yield* put("range", "0123456789")
          expect(yield* textOf("range", { start: 2, end: 4 })).toEqual({ sizeBytes: 10, text: "234" })
          expect(yield* textOf("range", { start: 0, end: 0 })).toEqual({ sizeBytes: 10, text: "0" })
          expect(yield* textOf("range", { start: 9, end: 9 })).toEqual({ sizeBytes: 10, text: "9" })
        }),
      )

      it.effect("cuts a range at the end of the blob", () =>
        Effect.gen(function* () {
          yield* put("range", "0123456789")
          expect(yield* textOf("range", { start: 8, end: 99 })).toEqual({ sizeBytes: 10, text: "89" })
        }),
      )

      it.effect("returns no bytes for a range beyond the end", () =>
        Effect.gen(function* () {
          yield* put("range", "0123456789")
          expect(yield* textOf("range", { start: 10, end: 12 })).toEqual({ sizeBytes: 10, text: "" })
        }),
      )

      it.effect("stores an empty blob", () =>
        Effect.gen(function* () {
          const blobs = yield* Blobs
          expect(yield* blobs.put("empty", Stream.empty)).toEqual({ sizeBytes: 0 })
          expect(yield* textOf("empty")).toEqual({ sizeBytes: 0, text: "" })
          expect(yield* textOf("empty", { start: 0, end: 5 })).toEqual({ sizeBytes: 0, text: "" })
        }),
      )

      it.effect("removes blobs, and ignores absent ones", () =>
        Effect.gen(function* () {
          const blobs = yield* Blobs
          yield* put("gone/1", "a")
          yield* put("gone/2", "b")
          yield* put("stays", "c")
          yield* blobs.remove(["gone/1", "never/there", "gone/2"])
          yield* blobs.remove(["gone/1"])
          yield* blobs.remove([])
          expect(yield* textOf("gone/1")).toBeNull()
          expect(yield* textOf("gone/2")).toBeNull()
          expect((yield* textOf("stays"))?.text).toBe("c")
        }),
      )

      it.effect("stores 5 MB in uneven pieces exactly", () =>
        Effect.gen(function* () {
          const whole = Buffer.alloc(5 * 1024 * 1024)
          for (let index = 0; index < whole.length; index += 4) whole.writeUInt32LE(index, index)
          const pieces: Array<Uint8Array> = []
          for (let start = 0, size = 1; start < whole.length; start += size, size = ((size * 7) % 65_521) + 1)
            pieces.push(whole.subarray(start, start + size))
          const blobs = yield* Blobs
          expect(yield* blobs.put("large", Stream.fromIterable(pieces))).toEqual({ sizeBytes: whole.length })
          const blob = Option.getOrThrow(yield* blobs.get("large"))
          expect((yield* read(blob.content)).equals(whole)).toBe(true)
          const middle = Option.getOrThrow(yield* blobs.get("large", { start: 1_000_001, end: 3_999_999 }))
          expect((yield* read(middle.content)).equals(whole.subarray(1_000_001, 4_000_000))).toBe(true)
        }),
      )

      it.effect("keeps its bytes when the caller changes the buffer", () =>
        Effect.gen(function* () {
          const buffer = bytesOf("hello")
          const blobs = yield* Blobs
          yield* blobs.put("copied", Stream.make(buffer))
          buffer.fill(0)
          expect((yield* textOf("copied"))?.text).toBe("hello")
        }),
      )

      it.effect("never returns a partial blob during concurrent puts under one key", () =>
        Effect.gen(function* () {
          const blobs = yield* Blobs
          const version = (letter: string) =>
            Stream.fromIterable(Array.from({ length: 32 }, () => bytesOf(letter.repeat(4096))))
          yield* blobs.put("contended", version("a"))
          const writers = yield* Effect.fork(
            Effect.forEach("bcdefghijklmnop".split(""), (letter) => blobs.put("contended", version(letter)), {
              concurrency: "unbounded",
            }),
          )
          let reads = 0
          while ((yield* Fiber.poll(writers)).pipe(Option.isNone) || reads === 0) {
            const seen = yield* textOf("contended")
            expect(seen?.text.length).toBe(32 * 4096)
            expect(new Set(seen?.text).size).toBe(1)
            reads++
          }
          yield* Fiber.join(writers)
        }),
      )

      it.effect("keeps the old blob when its replacement fails", () =>
        Effect.gen(function* () {
          const blobs = yield* Blobs
          yield* put("kept", "former")
          const broken = Stream.make(bytesOf("half")).pipe(Stream.concat(Stream.dieMessage("sender is gone")))
          expect(Exit.isFailure(yield* Effect.exit(blobs.put("kept", broken)))).toBe(true)
          expect((yield* textOf("kept"))?.text).toBe("former")
        }),
      )

      for (const key of [
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        "..",
        "../a",
        "a/../b",
        "a/.",
        "a b",
        "a\\b",
        "ä",
        "a\n",
        "a\0",
      ])
        it.effect(`dies for the key ${JSON.stringify(key)}`, () =>
          Effect.gen(function* () {
            const blobs = yield* Blobs
            const attempts = [put(key, "x"), blobs.get(key), blobs.remove([key])]
            for (const attempt of attempts) {
              const exit = yield* Effect.exit(attempt)
              expect(String(exit)).toContain("is not a key of a blob")
            }
          }),
        )

      it.effect("accepts every allowed character in a key", () =>
        Effect.gen(function* () {
          for (const key of ["...", ".hidden/x", "A-Z_0.9/..a/b..", "k".repeat(255)]) {
            yield* put(key, key)
            expect((yield* textOf(key))?.text).toBe(key)
          }
        }),
      )
    })
  })
