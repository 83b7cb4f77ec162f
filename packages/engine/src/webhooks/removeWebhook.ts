/** Deleting a webhook: on its own, or with the mailbox it is bound to. */
import type { Instant, WebhookId } from "@mailroom/domain"
import { Effect } from "effect"
import type { Ids } from "../ids/Ids.js"
import { addJob } from "../jobs/addJob.js"
import type { JobStore } from "../ports/stores/JobStore.js"
import type { WebhookStore } from "../ports/stores/WebhookStore.js"

interface Parts {
  readonly store: typeof WebhookStore.Service
  readonly jobs: typeof JobStore.Service
  readonly ids: typeof Ids.Service
}

/** Inside `UnitOfWork.commit`, the webhook locked: it is gone at once; a job takes its deliveries, a few at a time. */
export const removeWebhook = (
  { store, jobs, ids }: Parts,
  id: WebhookId,
  now: Instant,
): Effect.Effect<void> =>
  Effect.zipRight(store.remove(id), addJob(jobs, ids, { kind: "purge-webhook", webhookId: id }, now))
