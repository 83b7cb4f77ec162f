/** A store that speaks S3, for tests and benchmarks: requests and signatures by s3rver, from npm, over HTTP. */
import { Effect, type Scope } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import S3rver from "s3rver"
import { objectsInMemory } from "./objects.js"

/** What it lets in. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" }

/** Starts one with an empty bucket, until the scope closes; the answer is its endpoint. */
export const s3Server = (bucket: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    // For its buckets and for parts that are on their way.
    const directory = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "mailroom-s3-"))),
      (made) => Effect.promise(() => rm(made, { recursive: true, force: true })),
    )
    const server = new S3rver({
      address: "127.0.0.1",
      port: 0,
      silent: true,
      directory,
      configureBuckets: [{ name: bucket }],
    })
    // Its own keeps objects as files, which are seen while they are written.
    Object.assign(server.context.store, objectsInMemory())
    const { port } = yield* Effect.acquireRelease(
      Effect.promise(() => server.run()),
      () => Effect.promise(() => server.close()),
    )
    return `http://127.0.0.1:${port}`
  })
