/** The kinds of events, as options. */
import * as Options from "@effect/cli/Options"
import type { EventKind } from "@mailroom/client"

const EVENT_KINDS = [
  "message.received",
  "message.sent",
  "message.delivered",
  "message.bounced",
  "message.complaint",
  "message.quarantined",
  "mailbox.sending_warning",
  "mailbox.sending_stopped",
  "draft.review_requested",
  "draft.approved",
  "draft.rejected",
  "draft.expired",
  "draft.withdrawn",
  "draft.failed",
  "thread.taken_over",
  "thread.released",
] as const satisfies ReadonlyArray<EventKind>

export const eventsOption = Options.choice("event", EVENT_KINDS).pipe(
  Options.withDescription("a kind of event; can be repeated"),
)
