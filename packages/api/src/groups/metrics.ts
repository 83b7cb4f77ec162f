/** Counters of mail (docs/specification/reputation.md). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { described, MailboxId, MetricCounts, MetricPeriod, MetricPoint } from "@mailroom/domain"
import { Schema } from "effect"
import { dateTime } from "../filters.js"
import { query, saying } from "../query.js"
import { MailAccess, Needs } from "../security.js"

export const MetricsBody = Schema.Struct({
  series: described(Schema.Array(MetricPoint), "every hour or day of the range, oldest first"),
  totals: described(MetricCounts, "the sums over the series"),
}).annotations({ identifier: "Metrics", description: "What was received and sent in a range of time" })

export class MetricsGroup extends HttpApiGroup.make("metrics")
  .add(
    HttpApiEndpoint.get("read", "/v1/metrics")
      .setUrlParams(
        query({
          from: Schema.optional(
            dateTime("start of the range; by default 30 days before `to`, or a day with `groupBy=hour`"),
          ),
          to: Schema.optional(dateTime("end of the range, exclusive; by default now")),
          mailboxId: Schema.optional(
            MailboxId.annotations({
              description: "only this mailbox",
              ...saying("must be the id of a mailbox"),
            }),
          ),
          groupBy: Schema.optionalWith(
            MetricPeriod.annotations({
              description: "one point for each hour, for at most 744 hours, or for each day, UTC",
              ...saying("must be hour or day"),
            }),
            { default: () => "day" as const },
          ),
        }),
      )
      .addSuccess(MetricsBody)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Count received and sent mail by the hour or the day")
      .annotate(
        OpenApi.Description,
        "The range is widened to whole hours or days, UTC; those without mail have zeros. Hours are kept for 35 days and days for 400, also when the messages are deleted. Counting began with the version that has this route. A scoped key sees its mailboxes.",
      ),
  )
  .annotate(OpenApi.Title, "Metrics")
  .annotate(OpenApi.Description, "Counters of received and sent mail.") {}
