/** Blobs in an S3 store: s3rver, an independent implementation, checks requests and signatures. */
import { describe, expect, it } from "@effect/vitest"
import { S3Blobs, type S3Options } from "@mailroom/blobs/s3"
import { storageFailureIn } from "@mailroom/engine"
import { tcpProxyTo, s3Server } from "@mailroom/test-services"
import { Chunk, Duration, Effect, Exit, Layer, Option, Stream } from "effect"
import { blobsContract } from "./blobs.contract.js"
import { optionsAt, withBlobs } from "./support/s3.js"

blobsContract(
  "S3Blobs",
  Layer.unwrapScoped(Effect.map(s3Server("mail"), (endpoint) => S3Blobs.layer(optionsAt(endpoint)))),
)

const nobodyThere = "http://127.0.0.1:1"

/** The bytes of an upload that a slow store takes in a millisecond: 8 Mbit/s */
const BYTES_PER_MS = 1000

describe("S3Blobs", () => {
  it.scoped("uploads a large blob in parts", () =>
    Effect.gen(function* () {
      const endpoint = yield* s3Server("mail")
      const part = Buffer.alloc(1024 * 1024, "mail")
      const whole = Buffer.concat(Array.from({ length: 20 }, () => part))
      yield* withBlobs(optionsAt(endpoint), (blobs) =>
        Effect.gen(function* () {
          const sent = Stream.repeatValue(part).pipe(Stream.take(20))
          expect(yield* blobs.put("large", sent)).toEqual({ sizeBytes: whole.length })
          const { content } = Option.getOrThrow(yield* blobs.get("large"))
          const read = Buffer.concat(Chunk.toReadonlyArray(yield* Stream.runCollect(content)))
          expect(read.equals(whole)).toBe(true)
        }),
      )
    }),
  )

  it.scopedLive("uploads to a store that takes longer than 5 seconds for a part", () =>
    Effect.gen(function* () {
      const { port } = new URL(yield* s3Server("mail"))
      const forwarded = () => (chunk: Buffer, pass: () => void) =>
        setTimeout(pass, chunk.length / BYTES_PER_MS)
      const proxy = yield* tcpProxyTo("127.0.0.1", Number(port), forwarded)
      const blob = Buffer.alloc(6 * BYTES_PER_MS * 1000, "mail")
      yield* withBlobs(optionsAt(`http://127.0.0.1:${proxy.port}`), (blobs) =>
        Effect.gen(function* () {
          const [taken, { sizeBytes }] = yield* Effect.timed(blobs.put("slow", Stream.make(blob)))
          expect(sizeBytes).toBe(blob.length)
          expect(Duration.toMillis(taken)).toBeGreaterThan(5000)
        }),
      )
    }),
  )

  it.scoped("returns links that need no credentials when clients can reach the store", () =>
    Effect.gen(function* () {
      const endpoint = yield* s3Server("mail")
      const as = { contentType: "text/csv", disposition: 'attachment; filename="figures.csv"' }
      const response = yield* withBlobs(optionsAt(endpoint, { presign: true }), (blobs) =>
        Effect.gen(function* () {
          yield* blobs.put("figures", Stream.make(Buffer.from("Q1,42")))
          const link = yield* Option.getOrThrow(blobs.link)("figures", as)
          return yield* Effect.promise(() => fetch(link, { headers: { range: "bytes=3-4" } }))
        }),
      )
      expect(response.status).toBe(206)
      expect(yield* Effect.promise(() => response.text())).toBe("42")
      expect(response.headers.get("content-type")).toBe(as.contentType)
      expect(response.headers.get("content-disposition")).toBe(as.disposition)
    }),
  )

  it.scoped("returns no links when they cannot", () =>
    Effect.gen(function* () {
      const options = optionsAt(yield* s3Server("mail"))
      expect(yield* withBlobs(options, ({ link }) => Effect.succeed(link))).toEqual(Option.none())
    }),
  )

  it.scoped("dies as unavailable while the store is away, and works again when it is back", () =>
    Effect.gen(function* () {
      const { port } = new URL(yield* s3Server("mail"))
      const proxy = yield* tcpProxyTo("127.0.0.1", Number(port))
      yield* withBlobs(optionsAt(`http://127.0.0.1:${proxy.port}`), (blobs) =>
        Effect.gen(function* () {
          yield* blobs.put("kept", Stream.make(Buffer.from("kept")))
          proxy.set("closed")
          const exits = yield* Effect.all(
            [
              blobs.put("lost", Stream.make(Buffer.from("lost"))),
              blobs.get("kept"),
              blobs.remove(["kept"]),
            ].map((attempt) => Effect.exit(attempt)),
          )
          for (const exit of exits)
            expect(
              Exit.causeOption(exit).pipe(
                Option.flatMap(storageFailureIn),
                Option.map(({ reason }) => reason),
              ),
            ).toEqual(Option.some("unavailable"))
          proxy.set("open")
          expect(Option.map(yield* blobs.get("kept"), ({ sizeBytes }) => sizeBytes)).toEqual(Option.some(4))
        }),
      )
    }),
  )

  const whyNot = (options: S3Options) => Effect.flip(Effect.scoped(Layer.build(S3Blobs.layer(options))))

  it.scoped("fails to start without the bucket, and says so", () =>
    Effect.gen(function* () {
      const endpoint = yield* s3Server("mail")
      expect((yield* whyNot(optionsAt(endpoint, { bucket: "other" }))).message).toBe(
        `The bucket other at ${endpoint} cannot hold blobs: there is no such bucket. Create it, or use another bucket.`,
      )
    }),
  )

  it.effect("fails to start without the store, and says so", () =>
    Effect.map(whyNot(optionsAt(nobodyThere)), ({ message }) =>
      expect(message).toBe(
        `The bucket mail at ${nobodyThere} cannot hold blobs: nothing listens there. Start the store, or use another bucket.`,
      ),
    ),
  )
})
