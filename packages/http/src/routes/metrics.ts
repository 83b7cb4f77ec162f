/** Counters of mail. */
import { Api, CurrentPrincipal } from "@mailroom/api"
import { instantOf } from "@mailroom/domain"
import { MailMetrics } from "@mailroom/engine"
import { Effect } from "effect"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"

const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : instantOf(text)

export const metricsRoutes = group(Api, "metrics", (handlers) =>
  Effect.gen(function* () {
    const metrics = yield* MailMetrics
    const { answer } = yield* ErrorResponses

    return handlers.handle("read", ({ urlParams: { from, to, mailboxId, groupBy } }) =>
      Effect.flatMap(CurrentPrincipal, (principal) =>
        metrics.read(principal, { period: groupBy, from: timeOf(from), to: timeOf(to), mailboxId }),
      ).pipe(answer),
    )
  }),
)
