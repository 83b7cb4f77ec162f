/** Reading webhook deliveries, singly and in pages, with their payloads; and removing finished ones. */
import type { SqlClient } from "@effect/sql"
import {
  DeliveryId,
  DeliveryRecord,
  type DeliveryStatus,
  LARGE_EVENT_BYTES,
  newestFirst,
} from "@mailroom/domain"
import type { DeliveryQuery, DueDelivery, WebhookStore } from "@mailroom/engine"
import { Effect, Option, Schema } from "effect"
import { unionAll } from "../database/batches.js"
import { all, first, rowsOf, table } from "../database/Table.js"
import { dialectOf } from "../dialect.js"

export const deliveries = table("webhook_deliveries", DeliveryRecord)

const envelopes = rowsOf(Schema.Struct({ envelope: Schema.String }))
export const deliveryIds = rowsOf(Schema.Struct({ id: DeliveryId }))

const statuses: ReadonlyArray<DeliveryStatus> = ["PENDING", "DELIVERED", "FAILED"]

interface Reading extends Pick<
  WebhookStore["Type"],
  "delivery" | "deliveries" | "envelopeOf" | "pruneDeliveries"
> {
  /** The delivery with its event, whose text is left out when it is large. */
  readonly due: (delivery: DeliveryRecord) => Effect.Effect<DueDelivery>
}

const sizedEnvelopes = rowsOf(Schema.Struct({ envelope: Schema.NullOr(Schema.String), bytes: Schema.Int }))

export const deliveriesOf = (sql: SqlClient.SqlClient): Reading => {
  const selected = sql.literal(deliveries.selection)
  const skipLocked = sql.literal(dialectOf(sql).skipLocked)

  /** The newest deliveries of one status: a range of one index, read in its order. */
  const withStatus = ({ webhookId, before, limit }: DeliveryQuery, status: DeliveryStatus) =>
    sql`SELECT * FROM (
      SELECT ${selected} FROM webhook_deliveries WHERE webhook_id = ${webhookId} AND status = ${status}
      ${before === null ? sql.literal("") : sql`AND (created_at, id) < (${before.createdAt}, ${before.id})`}
      ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}) AS range`

  return {
    delivery: (webhookId, id) =>
      first(
        deliveries,
        sql`SELECT ${selected} FROM webhook_deliveries WHERE id = ${id} AND webhook_id = ${webhookId}`,
      ),

    deliveries: (query) => {
      const ranges = (query.status === null ? statuses : [query.status]).map((status) =>
        withStatus(query, status),
      )
      // In one statement: between two, a delivery could move from one status to another.
      return Effect.map(all(deliveries, sql`${unionAll(ranges)}`), (found) => {
        const sorted = [...found].sort(newestFirst)
        return { deliveries: sorted.slice(0, query.limit), hasMore: sorted.length > query.limit }
      })
    },

    due: (delivery) =>
      delivery.payload !== null
        ? Effect.succeed({ delivery, envelope: delivery.payload, largeBytes: null })
        : Effect.map(
            first(
              sizedEnvelopes,
              sql`SELECT CASE WHEN octet_length(envelope) <= ${LARGE_EVENT_BYTES} THEN envelope END AS envelope,
                  octet_length(envelope) AS bytes
                FROM events WHERE account_id = ${delivery.accountId} AND seq = ${delivery.eventSeq}`,
            ),
            Option.match({
              onNone: () => ({ delivery, envelope: null, largeBytes: null }),
              onSome: ({ envelope, bytes }) => ({
                delivery,
                envelope,
                largeBytes: envelope === null ? bytes : null,
              }),
            }),
          ),

    envelopeOf: (delivery) =>
      delivery.payload !== null
        ? Effect.succeed(delivery.payload)
        : Effect.map(
            first(
              envelopes,
              sql`SELECT envelope FROM events
                WHERE account_id = ${delivery.accountId} AND seq = ${delivery.eventSeq}`,
            ),
            Option.match({ onNone: () => null, onSome: ({ envelope }) => envelope }),
          ),

    pruneDeliveries: (before, limit) =>
      Effect.map(
        all(
          deliveryIds,
          sql`DELETE FROM webhook_deliveries WHERE id IN (
              SELECT id FROM webhook_deliveries WHERE status <> 'PENDING' AND created_at < ${before}
              ORDER BY created_at LIMIT ${limit} ${skipLocked})
            RETURNING id`,
        ),
        (removed) => removed.length,
      ),
  }
}
