/** When a mail of the service's own is not tried again (docs/decisions/0014). */
import { type Instant, type MailroomError, SYSTEM_MAIL_TRIED_FOR } from "@mailroom/domain"
import { Cause, Option } from "effect"
import { isSystemMail, type JobRecord } from "../ports/stores/JobStore.js"

/** Why a job that just failed is over; null when it is tried again, as all work is that is not such a mail. */
export const givenUp = (job: JobRecord, cause: Cause.Cause<MailroomError>, now: Instant): string | null => {
  if (!isSystemMail(job.spec) && job.spec.kind !== "pass-on") return null
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure) && failure.value._tag === "RelayRefused") return failure.value.answer
  return now - job.since >= SYSTEM_MAIL_TRIED_FOR ? "it was tried for three days" : null
}
