/** Mail that became no message leaves nothing behind: a copy, a report, one whose mailbox is gone by now. */
import { blobsAmong, type Instant } from "@mailroom/domain"
import { Effect, Option } from "effect"
import type { Ids } from "../ids/Ids.js"
import { addJob } from "../jobs/addJob.js"
import type { JobStore } from "../ports/stores/JobStore.js"
import type { RawMailStore } from "../ports/stores/RawMailStore.js"
import type { ReadMail } from "./MailReader.js"

/** Inside the transaction that takes the mails from the queue. */
export const forget =
  (rawMails: typeof RawMailStore.Service, jobs: typeof JobStore.Service, ids: typeof Ids.Service) =>
  (mails: ReadonlyArray<Pick<ReadMail, "queued" | "files">>, now: Instant): Effect.Effect<void> =>
    Effect.forEach(
      mails,
      Effect.fnUntraced(function* ({ queued, files }) {
        const rawBlob = yield* rawMails.removeIfUnused(queued.raw.id)
        const keys = [...Option.toArray(rawBlob), ...blobsAmong(files.map((file) => file.blobKey))]
        if (keys.length > 0) yield* addJob(jobs, ids, { kind: "remove-blobs", keys }, now)
      }),
      { discard: true },
    )
