/** The kinds of events, as options. */
import * as Options from "@effect/cli/Options"
import type { EventKind } from "@mailroom/client"
import { Struct } from "effect"

/** An object, because the compiler then asks for every kind. */
const kinds = {
  "message.received": true,
  "message.sent": true,
  "message.delivered": true,
  "message.bounced": true,
  "message.complaint": true,
  "message.quarantined": true,
  "mailbox.sending_warning": true,
  "mailbox.sending_stopped": true,
  "draft.review_requested": true,
  "draft.approved": true,
  "draft.rejected": true,
  "draft.expired": true,
  "draft.withdrawn": true,
  "draft.failed": true,
  "thread.taken_over": true,
  "thread.released": true,
} satisfies Record<EventKind, true>

export const eventsOption = Options.choice("event", Struct.keys(kinds)).pipe(
  Options.withDescription("a kind of event; can be repeated"),
)
