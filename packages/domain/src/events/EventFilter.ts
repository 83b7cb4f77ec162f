/** Which events of an account a reader gets (spec: events.stream.rule-6-mailbox, events.stream.rule-6-kinds). */
import { HashSet } from "effect"
import type { MailboxId } from "../ids.js"
import type { EventKind, EventRecord } from "./Event.js"

export interface EventFilter {
  /** null: all mailboxes of the account */
  readonly mailboxes: HashSet.HashSet<MailboxId> | null
  /** null: all kinds */
  readonly kinds: HashSet.HashSet<EventKind> | null
}

/** Whether the filter lets the event through. */
export const passes = (filter: EventFilter, event: Pick<EventRecord, "mailboxId" | "kind">): boolean =>
  (filter.mailboxes === null || HashSet.has(filter.mailboxes, event.mailboxId)) &&
  (filter.kinds === null || HashSet.has(filter.kinds, event.kind))
