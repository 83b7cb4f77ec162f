/** Blobs as objects in a bucket of any S3 store, for `BLOB_URL=s3://…`. */
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3"
import { Upload } from "@aws-sdk/lib-storage"
import { getSignedUrl } from "@aws-sdk/s3-request-presigner"
import {
  Blobs,
  type ByteRange,
  type LinkedAs,
  newSharedMemory,
  readInto,
  StorageFailure,
} from "@mailroom/engine"
import { NodeHttpHandler, type NodeHttpHandlerOptions } from "@smithy/node-http-handler"
import { Array, Effect, Layer, Option, Redacted, Stream } from "effect"
import { Readable } from "node:stream"
import { type BlobsUnusable, bucketUnusable, isMissingObject, s3Failure } from "./failures.js"
import { bytesToRead, checkKey } from "./arguments.js"

/** An access key of the store. */
interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  /** null: the access key is permanent */
  readonly sessionToken: Redacted.Redacted | null
}

export interface S3Options {
  readonly bucket: string
  /** prefix of every key: empty, or ending in a slash */
  readonly prefix: string
  /** URL of the store; null for Amazon's */
  readonly endpoint: string | null
  readonly region: string
  /** null: the AWS SDK looks for credentials, as in the files and the metadata service of Amazon's machines */
  readonly credentials: S3Credentials | null
  /** whether clients can reach the store; then they download attachments from it by signed links */
  readonly presign: boolean
}

/** Objects that one request may remove (S3 DeleteObjects). */
const REMOVED_AT_ONCE = 1000
/** Bytes. A larger blob is uploaded in parts of this size, two at a time, which takes 16 MB of memory. */
const PART = 8 * 1024 * 1024
const PARTS_AT_ONCE = 2
/** Milliseconds to connect, and milliseconds until the store answers a request without a body. */
const CONNECT_TIMEOUT = 2_000
const ANSWER_TIMEOUT = 5_000
/**
 * Milliseconds without progress of an upload. A slow store takes long for a part, so an upload has no other deadline.
 * 20 s, because the last megabytes of a part are in the buffer of the socket, whose progress we do not see.
 */
const UPLOAD_SILENCE = 20_000
/** Milliseconds without a byte of an object that we wait for. The pauses of a reader do not count. */
const BODY_SILENCE = 30_000
const ATTEMPTS = 2
/** Seconds that a link is valid. A client follows it at once, by a redirect. */
const LINK_TTL = 300

/** A request to the store that fails with `StorageFailure`. */
const request = <A>(send: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, StorageFailure> =>
  Effect.tryPromise({ try: send, catch: s3Failure })

const identityOf = ({ accessKeyId, secretAccessKey, sessionToken }: S3Credentials) => ({
  accessKeyId,
  secretAccessKey: Redacted.value(secretAccessKey),
  ...(sessionToken !== null && { sessionToken: Redacted.value(sessionToken) }),
})

const clientOf = (
  { endpoint, region, credentials }: S3Options,
  timeouts: Pick<NodeHttpHandlerOptions, "requestTimeout" | "throwOnRequestTimeout" | "socketTimeout">,
): S3Client =>
  new S3Client({
    region,
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    ...(credentials !== null && { credentials: identityOf(credentials) }),
    maxAttempts: ATTEMPTS,
    // Only Amazon supports checksums in trailers. Other stores check the hash in the signature.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: new NodeHttpHandler({
      connectionTimeout: CONNECT_TIMEOUT,
      // A download holds its connection as long as its client takes to read. With a limit, slow clients would keep mail from being
      // read; how many there are, is limited where they ask (`UnreadAnswers`).
      httpAgent: { maxSockets: Infinity },
      httpsAgent: { maxSockets: Infinity },
      ...timeouts,
    }),
  })

/** A client that is closed with the scope. */
const openClient = (...given: Parameters<typeof clientOf>) =>
  Effect.acquireRelease(
    Effect.sync(() => clientOf(...given)),
    (client) => Effect.sync(() => client.destroy()),
  )

const changed = (what: string) =>
  new StorageFailure({
    reason: "unavailable",
    cause: new Error(`An object changed after it was looked up: ${what}`),
  })

const silent = () =>
  new StorageFailure({
    reason: "unavailable",
    cause: new Error(`The store sent no byte of an object for ${BODY_SILENCE / 1000} s`),
  })

/** The bytes of an object. Closes its connection at the end, also while the store sends nothing. */
const bytesOf = (body: Readable): Stream.Stream<Uint8Array, StorageFailure> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      yield* Effect.addFinalizer(() => Effect.sync(() => body.destroy()))
      const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]()
      const next = Effect.tryPromise({ try: () => chunks.next(), catch: s3Failure }).pipe(
        // Inside: in a request that cannot be interrupted, the time-out would wait for the store.
        Effect.interruptible,
        Effect.timeoutFail({ duration: BODY_SILENCE, onTimeout: silent }),
      )
      return Stream.repeatEffectOption(
        Effect.flatMap(Effect.mapError(next, Option.some), ({ done, value }) =>
          done === true ? Effect.fail(Option.none()) : Effect.succeed(value),
        ),
      )
    }),
  )

/** Fails when a stream ends before it gave `expected` bytes. */
const wholeOf = (content: Stream.Stream<Uint8Array, StorageFailure>, expected: number) =>
  Stream.suspend(() => {
    let received = 0
    return content.pipe(
      Stream.tap((bytes) =>
        Effect.sync(() => {
          received += bytes.length
        }),
      ),
      Stream.concat(
        Stream.suspend(() => (received === expected ? Stream.empty : Stream.fail(changed("it ended early")))),
      ),
    )
  })

export const S3Blobs = {
  /**
   * Blobs in an existing bucket. Fails with `BlobsUnusable` when the bucket cannot be reached.
   */
  layer: (options: S3Options): Layer.Layer<Blobs, BlobsUnusable> =>
    Layer.scoped(
      Blobs,
      Effect.gen(function* () {
        const { bucket, prefix, presign } = options
        // `requestTimeout` includes the time to send the body, and `socketTimeout` the pauses of a reader: one client for each.
        const client = yield* openClient(options, {
          requestTimeout: ANSWER_TIMEOUT,
          throwOnRequestTimeout: true,
        })
        const uploader = yield* openClient(options, { socketTimeout: UPLOAD_SILENCE })
        yield* Effect.mapError(
          request((abortSignal) => client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal })),
          ({ cause }) => bucketUnusable(options, cause),
        )
        const locate = (key: string) =>
          Effect.map(checkKey(key), () => ({ Bucket: bucket, Key: `${prefix}${key}` }))

        const put = Effect.fn("S3Blobs.put")(function* (key: string, content: Stream.Stream<Uint8Array>) {
          const at = yield* locate(key)
          let sizeBytes = 0
          const counted = Stream.tap(content, (bytes) =>
            Effect.sync(() => {
              sizeBytes += bytes.length
            }),
          )
          const parts = yield* Stream.toAsyncIterableEffect(counted)
          const upload = new Upload({
            client: uploader,
            params: { ...at, Body: Readable.from(parts, { objectMode: true }) },
            partSize: PART,
            queueSize: PARTS_AT_ONCE,
          })
          yield* request((signal) => {
            signal.addEventListener("abort", () => void upload.abort())
            return upload.done()
          }).pipe(Effect.orDie)
          return { sizeBytes }
        })

        /** Reads a range of an object that had `sizeBytes` when it was looked up. */
        const open = (
          at: { readonly Bucket: string; readonly Key: string },
          sizeBytes: number,
          range: ByteRange,
        ) =>
          request((abortSignal) =>
            client.send(new GetObjectCommand({ ...at, Range: `bytes=${range.start}-${range.end}` }), {
              abortSignal,
            }),
          ).pipe(
            Effect.map(({ Body, ContentRange }) =>
              Body instanceof Readable && ContentRange?.endsWith(`/${sizeBytes}`) === true
                ? bytesOf(Body)
                : Stream.fail(changed("it has another size")),
            ),
            Stream.unwrap,
            (content) => wholeOf(content, range.end - range.start + 1),
            Stream.orDie,
          )

        const get = Effect.fn("S3Blobs.get")(function* (key: string, range?: ByteRange) {
          const at = yield* locate(key)
          return yield* request((abortSignal) =>
            client.send(new HeadObjectCommand(at), { abortSignal }),
          ).pipe(
            Effect.map(({ ContentLength: sizeBytes = 0 }) => {
              const wanted = bytesToRead(sizeBytes, range)
              const content = wanted.end < wanted.start ? Stream.empty : open(at, sizeBytes, wanted)
              return Option.some({ sizeBytes, content })
            }),
            Effect.catchIf(isMissingObject, () => Effect.succeedNone),
            Effect.orDie,
          )
        })

        const read = Effect.fn("S3Blobs.read")(function* (
          key: string,
          max?: number,
          giveMemory = newSharedMemory,
        ) {
          const range = max === undefined ? undefined : { start: 0, end: max - 1 }
          const blob = yield* get(key, range)
          return yield* Option.match(blob, {
            onNone: () => Effect.succeedNone,
            onSome: ({ content, sizeBytes }) =>
              Effect.asSome(readInto(content, Math.min(sizeBytes, max ?? sizeBytes), giveMemory)),
          })
        })

        const removeSome = (keys: ReadonlyArray<string>) =>
          request((abortSignal) =>
            client.send(
              new DeleteObjectsCommand({
                Bucket: bucket,
                Delete: { Objects: keys.map((key) => ({ Key: `${prefix}${key}` })), Quiet: true },
              }),
              { abortSignal },
            ),
          ).pipe(
            Effect.filterOrFail(
              ({ Errors = [] }) => Errors.length === 0,
              ({ Errors = [] }) => s3Failure(new Error(`${Errors[0]?.Code}: ${Errors[0]?.Message}`)),
            ),
          )

        const remove = Effect.fn("S3Blobs.remove")(function* (keys: ReadonlyArray<string>) {
          yield* Effect.forEach(keys, checkKey, { discard: true })
          yield* Effect.forEach(Array.chunksOf(keys, REMOVED_AT_ONCE), removeSome, { discard: true }).pipe(
            Effect.orDie,
          )
        })

        const link = (key: string, { contentType, disposition }: LinkedAs) =>
          Effect.flatMap(locate(key), (at) =>
            request(() =>
              getSignedUrl(
                client,
                new GetObjectCommand({
                  ...at,
                  ResponseContentType: contentType,
                  ResponseContentDisposition: disposition,
                }),
                { expiresIn: LINK_TTL },
              ),
            ),
          ).pipe(Effect.orDie)

        return Blobs.of({ put, get, read, remove, link: presign ? Option.some(link) : Option.none() })
      }),
    ),
}
