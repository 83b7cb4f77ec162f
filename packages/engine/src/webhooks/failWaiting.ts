/** The deliveries that wait fail with their webhook (decisions §7): a few at a time, however many they are. */
import type { WebhookId } from "@mailroom/domain"
import { Effect } from "effect"
import type { WebhookStore } from "../ports/stores/WebhookStore.js"

const STEP = 200

/** Fails some of what waits at a webhook that FAILED. True when nothing waits there any more, or it is started again. */
export const failWaiting = (store: typeof WebhookStore.Service, id: WebhookId): Effect.Effect<boolean> =>
  Effect.map(store.failPending(id, "the webhook failed", STEP), (failed) => failed < STEP)
