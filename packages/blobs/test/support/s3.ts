/** Blobs in an S3 store of a test. */
import { S3Blobs, type S3Options } from "@mailroom/blobs/s3"
import { Blobs } from "@mailroom/engine"
import { S3_CREDENTIALS } from "@mailroom/test-services"
import { Effect, Redacted } from "effect"

export const optionsAt = (endpoint: string, over: Partial<S3Options> = {}): S3Options => ({
  bucket: "mail",
  prefix: "blobs/",
  endpoint,
  region: "us-east-1",
  presign: false,
  credentials: {
    accessKeyId: S3_CREDENTIALS.AWS_ACCESS_KEY_ID,
    secretAccessKey: Redacted.make(S3_CREDENTIALS.AWS_SECRET_ACCESS_KEY),
    sessionToken: null,
  },
  ...over,
})

export const withBlobs = <A, E>(options: S3Options, use: (blobs: Blobs["Type"]) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(Blobs, use), S3Blobs.layer(options))
