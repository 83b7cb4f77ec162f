/** Mail that became no message leaves nothing behind: a copy, a report, one whose mailbox is gone, one that was passed on. */
import { blobsAmong, type Instant, type RawMailId } from "@mailroom/domain"
import { Effect, Option } from "effect"
import type { Ids } from "../ids/Ids.js"
import { addJob } from "../jobs/addJob.js"
import type { JobStore } from "../ports/stores/JobStore.js"
import type { RawMailStore } from "../ports/stores/RawMailStore.js"

/** What is stored of a mail: its raw bytes, and files that were put away. */
interface Stored {
  readonly queued: { readonly raw: { readonly id: RawMailId } }
  readonly files: ReadonlyArray<{ readonly blobKey: string }>
}

/** Inside a transaction: has the blobs among these keys removed; other keys name files inside raw mail. */
export const removeBlobs = (
  jobs: typeof JobStore.Service,
  ids: typeof Ids.Service,
  keys: ReadonlyArray<string>,
  now: Instant,
): Effect.Effect<void> => {
  const blobs = blobsAmong(keys)
  return blobs.length === 0 ? Effect.void : addJob(jobs, ids, { kind: "remove-blobs", keys: blobs }, now)
}

/** Inside the transaction that ends the work on the mails. Raw bytes that a message has too stay. */
export const forget =
  (rawMails: typeof RawMailStore.Service, jobs: typeof JobStore.Service, ids: typeof Ids.Service) =>
  (mails: ReadonlyArray<Stored>, now: Instant): Effect.Effect<void> =>
    Effect.forEach(
      mails,
      Effect.fnUntraced(function* ({ queued, files }) {
        const rawBlob = yield* rawMails.removeIfUnused(queued.raw.id)
        const keys = [...Option.toArray(rawBlob), ...files.map(({ blobKey }) => blobKey)]
        yield* removeBlobs(jobs, ids, keys, now)
      }),
      { discard: true },
    )
