/** Webhooks and their deliveries. */
import { Api, CurrentPrincipal } from "@mailroom/api"
import { DeliveryId, queryCursorsByCreation } from "@mailroom/domain"
import { WebhookDeliveries, Webhooks } from "@mailroom/engine"
import { Effect } from "effect"
import { pageMetadata } from "../pageMetadata.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"
import { jsonText, mergedText, objectText } from "../json.js"

const cursorsOf = queryCursorsByCreation(DeliveryId)

const mutation = { uninterruptible: true } as const

export const webhookRoutes = group(Api, "webhooks", (handlers) =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const deliveries = yield* WebhookDeliveries
    const { answer } = yield* ErrorResponses

    return handlers
      .handle("list", () =>
        Effect.flatMap(CurrentPrincipal, webhooks.list).pipe(Effect.map((found) => ({ webhooks: found }))),
      )
      .handle(
        "create",
        ({ payload }) =>
          Effect.flatMap(CurrentPrincipal, (principal) =>
            webhooks.create(principal, {
              url: payload.url,
              events: payload.events,
              mailboxId: payload.mailboxId ?? null,
              headers: payload.headers ?? null,
            }),
          ).pipe(
            Effect.map(({ webhook, secret }) => ({ webhook: { ...webhook, secret } })),
            answer,
          ),
        mutation,
      )
      .handle("get", ({ path }) =>
        Effect.flatMap(CurrentPrincipal, (principal) => webhooks.get(principal, path.id)).pipe(
          Effect.map((webhook) => ({ webhook })),
          answer,
        ),
      )
      .handle(
        "update",
        ({ path, payload: { url, events, headers, status } }) =>
          Effect.flatMap(CurrentPrincipal, (principal) =>
            webhooks.update(principal, path.id, { url, events, headers, status }),
          ).pipe(
            Effect.map((webhook) => ({ webhook })),
            answer,
          ),
        mutation,
      )
      .handle(
        "remove",
        ({ path }) =>
          Effect.flatMap(CurrentPrincipal, (principal) => webhooks.remove(principal, path.id)).pipe(
            Effect.as({ deleted: true as const }),
            answer,
          ),
        mutation,
      )
      .handle(
        "test",
        ({ path, payload }) =>
          Effect.flatMap(CurrentPrincipal, (principal) =>
            deliveries.test(principal, path.id, payload?.event ?? null),
          ).pipe(
            Effect.map((delivery) => ({ delivery })),
            answer,
          ),
        mutation,
      )
      .handle(
        "rotateSecret",
        ({ path }) =>
          Effect.flatMap(CurrentPrincipal, (principal) => webhooks.rotateSecret(principal, path.id)).pipe(
            Effect.map(({ webhook, secret }) => ({ webhook: { ...webhook, secret } })),
            answer,
          ),
        mutation,
      )
      .handle("deliveries", ({ path, urlParams: { status, limit, cursor } }) =>
        Effect.gen(function* () {
          const cursors = cursorsOf({ in: "deliveries", webhookId: path.id, status })
          const before = yield* cursors.decode(cursor)
          const page = yield* deliveries.list(yield* CurrentPrincipal, path.id, {
            status: status ?? null,
            before,
            limit,
          })
          return {
            deliveries: page.deliveries,
            metadata: pageMetadata(cursors, limit, page.hasMore ? page.last : null),
          }
        }).pipe(answer),
      )
      .handle("delivery", ({ path }) =>
        Effect.flatMap(CurrentPrincipal, (principal) =>
          deliveries.get(principal, path.id, path.deliveryId),
        ).pipe(
          Effect.map(({ delivery, payload }) => {
            const withPayload = mergedText(
              JSON.stringify(delivery),
              objectText({ payload: payload ?? "null" }),
            )
            return jsonText(objectText({ delivery: withPayload }))
          }),
          answer,
        ),
      )
      .handle(
        "redeliver",
        ({ path }) =>
          Effect.flatMap(CurrentPrincipal, (principal) =>
            deliveries.redeliver(principal, path.id, path.deliveryId),
          ).pipe(
            Effect.map((delivery) => ({ delivery })),
            answer,
          ),
        mutation,
      )
  }),
)
