/** Removes the stored bytes of mail that became no message: a duplicate, a report, or mail whose mailbox was deleted. */
import type { Instant, RawMailId } from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { JobQueue } from "../jobs/JobQueue.js"
import { AttachmentStore } from "../ports/stores/AttachmentStore.js"
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
     * Inside the transaction that finishes the mails: removes the raw bytes and the files that nothing else refers to.
     * Messages of the same mail may have its files: it had other recipients, who were served before.
     */
    readonly discard: (mails: ReadonlyArray<DiscardableMail>, now: Instant) => Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<MailRemoval, never, AttachmentStore | JobQueue | RawMailStore> =
    Layer.effect(
      MailRemoval,
      Effect.gen(function* () {
        const attachments = yield* AttachmentStore
        const rawMails = yield* RawMailStore
        const jobs = yield* JobQueue

        return {
          discard: Effect.fnUntraced(function* (mails, now) {
            if (mails.length === 0) return
            const fileKeys = mails.flatMap(({ files }) => files.map(({ blobKey }) => blobKey))
            // Files first, and those of all mails together: a deletion of messages locks both in this order.
            const files = yield* attachments.unusedAmong(fileKeys)
            const raws = yield* rawMails.removeUnused(mails.map(({ queued }) => queued.raw.id))
            const keys = [...files, ...raws]
            if (keys.length > 0) yield* jobs.add({ kind: "remove-blobs", keys }, now)
          }),
        }
      }),
    )
}
