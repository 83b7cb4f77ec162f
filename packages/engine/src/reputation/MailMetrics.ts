/** What mailboxes received and sent, by the hour or the day (docs/specification/reputation.md). */
import {
  type InvalidInput,
  type MailboxId,
  metricRange,
  metricSeries,
  type NotFound,
  type Principal,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { MailCountStore } from "../ports/stores/MailCountStore.js"

export class MailMetrics extends Context.Tag("@mailroom/MailMetrics")<
  MailMetrics,
  {
    /**
     * The counters of one mailbox, or without `mailboxId` of the whole account; of the mailboxes in scope for a scoped
     * principal. Fails as `metricRange`, and with `NotFound` for a mailbox out of scope.
     */
    readonly read: (
      principal: Principal,
      query: Parameters<typeof metricRange>[0] & { readonly mailboxId: MailboxId | undefined },
    ) => Effect.Effect<ReturnType<typeof metricSeries>, NotFound | InvalidInput>
  }
>() {
  static readonly layer = Layer.effect(
    MailMetrics,
    Effect.gen(function* () {
      const mailboxes = yield* Mailboxes
      const counts = yield* MailCountStore
      return {
        read: Effect.fn("MailMetrics.read")(function* (principal, { mailboxId, ...wanted }) {
          const { account, scope } = principal
          if (mailboxId !== undefined) yield* mailboxes.require(principal, mailboxId)
          const range = yield* metricRange(wanted, yield* Clock.currentTimeMillis)
          const wantedMailboxes = mailboxId === undefined ? scope : [mailboxId]
          const rows =
            wantedMailboxes === null
              ? [yield* counts.read(account.id, range)]
              : yield* Effect.forEach(new Set(wantedMailboxes), (id) => counts.read(id, range))
          return metricSeries(range, rows.flat())
        }),
      }
    }),
  )
}
