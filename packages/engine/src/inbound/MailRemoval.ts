/** Removes the stored bytes of mail that became no message: a duplicate, a report, or mail whose mailbox was deleted. */
import { blobsAmong, type Instant, type RawMailId } from "@mailroom/domain"
import { Context, Effect, Layer, Option } from "effect"
import { BlobDrafts } from "../blobs/BlobDrafts.js"
import { JobQueue } from "../jobs/JobQueue.js"
import { RawMailStore } from "../ports/stores/RawMailStore.js"

/** What is stored of a mail: its raw bytes, and its attachments, of which some have blobs of their own. */
interface DiscardableMail {
  readonly queued: { readonly raw: { readonly id: RawMailId } }
  readonly files: ReadonlyArray<{ readonly blobKey: string }>
}

export class MailRemoval extends Context.Tag("@mailroom/MailRemoval")<
  MailRemoval,
  {
    /**
     * Inside the transaction that finishes the mails: removes their rows, and adds jobs that remove their blobs. Raw bytes
     * that something else shares stay.
     */
    readonly discard: (mails: ReadonlyArray<DiscardableMail>, now: Instant) => Effect.Effect<void>
    /** As `discard`, for mails whose attachments messages may share: the collector removes those that no row names. */
    readonly discardUnused: (mails: ReadonlyArray<DiscardableMail>, now: Instant) => Effect.Effect<void>
    /** Inside a transaction: adds a job that removes the attachments of mails whose raw bytes stay. */
    readonly discardFiles: (
      mails: ReadonlyArray<Pick<DiscardableMail, "files">>,
      now: Instant,
    ) => Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<MailRemoval, never, BlobDrafts | JobQueue | RawMailStore> = Layer.effect(
    MailRemoval,
    Effect.gen(function* () {
      const rawMails = yield* RawMailStore
      const jobs = yield* JobQueue
      const blobDrafts = yield* BlobDrafts

      /** Adds a job that removes the blobs among these keys. Keys of files inside raw mail are skipped. */
      const removeBlobs = (keys: ReadonlyArray<string>, now: Instant) => {
        const blobs = blobsAmong(keys)
        return blobs.length === 0 ? Effect.void : jobs.add({ kind: "remove-blobs", keys: blobs }, now)
      }

      const fileKeysOf = ({ files }: Pick<DiscardableMail, "files">) => files.map(({ blobKey }) => blobKey)

      const removeRaw = ({ queued }: DiscardableMail) =>
        Effect.map(rawMails.removeIfUnused(queued.raw.id), Option.toArray)

      const discardOne = (mail: DiscardableMail, now: Instant) =>
        Effect.flatMap(removeRaw(mail), (rawBlob) => removeBlobs([...rawBlob, ...fileKeysOf(mail)], now))

      const discardUnusedOne = (mail: DiscardableMail, now: Instant) =>
        Effect.flatMap(removeRaw(mail), (rawBlob) => removeBlobs(rawBlob, now)).pipe(
          Effect.zipRight(blobDrafts.begin(blobsAmong(fileKeysOf(mail)))),
        )

      return {
        discardFiles: (mails, now) => removeBlobs(mails.flatMap(fileKeysOf), now),
        discard: (mails, now) => Effect.forEach(mails, (mail) => discardOne(mail, now), { discard: true }),
        discardUnused: (mails, now) =>
          Effect.forEach(mails, (mail) => discardUnusedOne(mail, now), { discard: true }),
      }
    }),
  )
}
