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
     * Inside the transaction that finishes the mails: removes the raw bytes that nothing else refers to, and begins drafts of the
     * files, for the collector. Messages of the same mail may have them: it had other recipients, who were served before.
     */
    readonly discard: (mails: ReadonlyArray<DiscardableMail>, now: Instant) => Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<MailRemoval, never, BlobDrafts | JobQueue | RawMailStore> = Layer.effect(
    MailRemoval,
    Effect.gen(function* () {
      const rawMails = yield* RawMailStore
      const jobs = yield* JobQueue
      const blobDrafts = yield* BlobDrafts

      const discardOne = Effect.fnUntraced(function* ({ queued, files }: DiscardableMail, now: Instant) {
        const removed = yield* rawMails.removeIfUnused(queued.raw.id)
        if (Option.isSome(removed)) yield* jobs.add({ kind: "remove-blobs", keys: [removed.value] }, now)
        yield* blobDrafts.begin(blobsAmong(files.map(({ blobKey }) => blobKey)))
      })

      return {
        discard: (mails, now) => Effect.forEach(mails, (mail) => discardOne(mail, now), { discard: true }),
      }
    }),
  )
}
