/** An S3 store over HTTP for tests and benchmarks: s3rver from npm, which checks requests and signatures. */
import { Effect, type Scope } from "effect"
import S3rver from "s3rver"
import { temporaryFolder } from "../temporaryFolder.js"
import { objectsInMemory } from "./objects.js"

/** The credentials that it accepts. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" }

/** Starts a store with an empty bucket until the scope closes. Returns its endpoint. */
export const s3Server = (bucket: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    // For the buckets, and for parts of unfinished uploads.
    const directory = yield* temporaryFolder
    const server = new S3rver({
      address: "127.0.0.1",
      port: 0,
      silent: true,
      directory,
      configureBuckets: [{ name: bucket }],
    })
    // Its own store keeps objects as files, which can be read while they are being written.
    Object.assign(server.context.store, objectsInMemory())
    const { port } = yield* Effect.acquireRelease(
      Effect.promise(() => server.run()),
      () => Effect.promise(() => server.close()),
    )
    return `http://127.0.0.1:${port}`
  })
