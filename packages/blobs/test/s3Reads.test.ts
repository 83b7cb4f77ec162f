/** Reads from an S3 store whose clients or whose store are slow. */
import { describe, expect, it } from "@effect/vitest"
import { storageFailureIn } from "@mailroom/engine"
import { s3Server } from "@mailroom/test-services"
import { Deferred, Effect, Exit, Fiber, Option, Stream, TestClock } from "effect"
import { createServer } from "node:http"
import { optionsAt, withBlobs } from "./support/s3.js"

/** A store that has every object, and sends the first of its bytes alone. `closed`: a connection that waits for the others was closed. */
const silentStore = Effect.gen(function* () {
  const closed = yield* Deferred.make<void>()
  const server = createServer((request, response) => {
    if (request.method === "HEAD") return response.writeHead(200, { "content-length": 2 }).end()
    response.on("close", () => Deferred.unsafeDone(closed, Exit.void))
    return response.writeHead(206, { "content-length": 2, "content-range": "bytes 0-1/2" }).write("a")
  })
  const endpoint = yield* Effect.acquireRelease(
    Effect.async<string>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed(`http://127.0.0.1:${port}`))
      })
    }),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      }),
  )
  return { endpoint, closed: Deferred.await(closed) }
})

describe("a read from an S3 store", () => {
  it.scoped("fails when the store sends nothing for 30 seconds, and closes its connection", () =>
    Effect.gen(function* () {
      const { endpoint, closed } = yield* silentStore
      const exit = yield* withBlobs(optionsAt(endpoint), (blobs) =>
        Effect.gen(function* () {
          const begun = yield* Deferred.make<void>()
          const { content } = Option.getOrThrow(yield* blobs.get("file"))
          const reading = yield* Effect.fork(
            // As in a request with an `Idempotency-Key`.
            Effect.uninterruptible(Stream.runForEach(content, () => Deferred.succeed(begun, undefined))),
          )
          yield* Deferred.await(begun)
          yield* TestClock.adjust("30 seconds")
          yield* closed
          return yield* Fiber.await(reading)
        }),
      )
      expect(Exit.causeOption(exit).pipe(Option.flatMap(storageFailureIn), Option.getOrThrow)).toMatchObject({
        reason: "unavailable",
        cause: { message: "The store sent no byte of an object for 30 s" },
      })
    }),
  )

  it.scoped("does not wait while more downloads than 50 wait for their clients", () =>
    Effect.gen(function* () {
      const endpoint = yield* s3Server("mail")
      yield* withBlobs(optionsAt(endpoint), (blobs) =>
        Effect.gen(function* () {
          yield* blobs.put("file", Stream.make(Buffer.alloc(1024 * 1024, "file")))
          yield* blobs.put("mail", Stream.make(Buffer.from("mail")))
          const download = Effect.gen(function* () {
            const { content } = Option.getOrThrow(yield* blobs.get("file"))
            const pull = yield* Stream.toPull(content)
            // The client reads the first bytes, and no more.
            yield* Effect.sandbox(pull)
          })
          yield* Effect.forEach(Array.from({ length: 60 }), () => download, {
            concurrency: "unbounded",
            discard: true,
          })
          const read = Option.getOrThrow(yield* blobs.read("mail"))
          expect(Buffer.from(read).toString()).toBe("mail")
        }).pipe(Effect.scoped),
      )
    }),
  )
})
