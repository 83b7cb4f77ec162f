/** Hands mail for role addresses without a mailbox to the jobs that pass it on (docs/decisions/0056). */
import { type Instant, normalizeAddress, roleAddress, serviceAddress } from "@mailroom/domain"
import { Effect } from "effect"
import type { Ids } from "../ids/Ids.js"
import { addJob } from "../jobs/addJob.js"
import type { JobStore } from "../ports/stores/JobStore.js"
import type { ReadMail } from "./MailReader.js"

/**
 * Inside the transaction that takes the mails from the queue: adds a job for each role address that has no mailbox, and
 * returns the mails whose raw bytes these jobs need. The service's own mail is not passed on: what it passes on can come
 * back to a role address.
 */
export const passOn =
  (jobs: typeof JobStore.Service, ids: typeof Ids.Service, platformDomain: string) =>
  <M extends Pick<ReadMail, "queued" | "parsed">>(
    mails: ReadonlyArray<M>,
    hasMailbox: (address: string) => boolean,
    now: Instant,
  ): Effect.Effect<ReadonlySet<M>> =>
    Effect.gen(function* () {
      const passed = new Set<M>()
      for (const mail of mails) {
        const { parsed, queued } = mail
        const author = parsed.from?.address ?? ""
        if (normalizeAddress(author) === serviceAddress(platformDomain)) continue
        for (const to of queued.envelope.to) {
          const role = roleAddress(to, platformDomain)
          if (role === null || hasMailbox(role.address)) continue
          passed.add(mail)
          const { subject } = parsed
          yield* addJob(jobs, ids, { kind: "pass-on", rawId: queued.raw.id, to, author, subject }, now)
        }
      }
      return passed
    })
