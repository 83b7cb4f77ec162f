/** Objects in memory with the semantics of S3: a put replaces an object atomically, and a running read is not affected. */
import { createHash } from "node:crypto"
import { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import S3Object, { type Metadata, type S3Store } from "s3rver/lib/models/object.js"

interface StoredObject {
  readonly bytes: Buffer
  readonly metadata: Metadata
}

export const objectsInMemory = (): S3Store => {
  const objects = new Map<string, StoredObject>()
  const nameOf = (bucket: string, key: string) => `${bucket}/${key}`
  return {
    existsObject: (bucket, key) => Promise.resolve(objects.has(nameOf(bucket, key))),

    getObject: (bucket, key, asked) => {
      const object = objects.get(nameOf(bucket, key))
      if (object === undefined) return Promise.resolve(null)
      const { bytes, metadata } = object
      if (asked?.start === undefined && asked?.end === undefined)
        return Promise.resolve(new S3Object(bucket, key, Readable.from([bytes]), metadata))
      const range = {
        start: asked.start ?? 0,
        end: Math.min(asked.end ?? Infinity, bytes.length - 1),
      }
      const content =
        range.end < range.start ? null : Readable.from([bytes.subarray(range.start, range.end + 1)])
      return Promise.resolve(Object.assign(new S3Object(bucket, key, content, metadata), { range }))
    },

    putObject: async ({ bucket, key, content, metadata }) => {
      const bytes = content instanceof Readable ? await buffer(content) : Buffer.from(content ?? "")
      const md5 = createHash("md5").update(bytes).digest("hex")
      objects.set(nameOf(bucket, key), {
        bytes,
        metadata: {
          ...metadata,
          etag: `"${md5}"`,
          "last-modified": new Date(0).toUTCString(),
          "content-length": bytes.length,
        },
      })
      return { size: bytes.length, md5 }
    },

    deleteObject: (bucket, key) => {
      objects.delete(nameOf(bucket, key))
      return Promise.resolve()
    },
  }
}
