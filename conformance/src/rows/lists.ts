/** Filtered lists, lists of the account, and changes of labels: docs/specification/lists.md. */
import type { Section } from "./Section.js"

export const lists = [
  {
    heading: "Filters",
    rows: {
      "lists.filters.together": "All conditions must hold, in any combination",
      "lists.filters.labels": "labels keeps messages that have all of them",
      "lists.filters.unread": "unread keeps messages that are not marked as read, or the others",
      "lists.filters.from": "from keeps an address, or a domain, in any case",
      "lists.filters.to": "to keeps an address or domain of To, Cc and deliveredTo",
      "lists.filters.subject": "subject keeps subjects with this part, in any case",
      "lists.filters.attachment": "hasAttachment keeps messages with files, or those without",
      "lists.filters.before": "before keeps messages created earlier than this time",
      "lists.filters.gated": "A gated message is in no filtered list",
      "lists.filters.400": "400 for a wrong condition, by name",
    },
  },
  {
    heading: "Order and pages",
    rows: {
      "lists.order": "order=asc lists the oldest first",
      "lists.pages": "Pages of a filtered list, read until hasMore is false, have every match once",
      "lists.cursor.query": "A cursor with another query gets 400",
      "lists.offset": "offset with any other filter, or oldest first, gets 400",
    },
  },
  {
    heading: "Previews",
    rows: {
      "lists.previews": "bodies=preview returns the beginning of the new text instead of the bodies",
      "lists.previews.everywhere": "It holds for lists, searches, a thread, drafts and reviews",
      "lists.previews.400": "400 for any other value",
    },
  },
  {
    heading: "GET /v1/messages",
    rows: {
      "lists.messages.200": "200 with the messages of all mailboxes, newest first, with any filter",
      "lists.messages.scoped": "A scoped key sees the messages of its mailboxes",
      "lists.messages.removed": "Messages of a removed mailbox are left out at once",
      "lists.messages.overLimitCount": "metadata.overLimitCount counts the gated messages of these mailboxes",
    },
  },
  {
    heading: "GET /v1/threads",
    rows: {
      "lists.threads.200": "200 with the threads of all mailboxes, newest activity first",
      "lists.threads.scoped": "A scoped key sees the threads of its mailboxes",
      "lists.threads.mailbox":
        "mailboxId narrows it to one mailbox, 404 for a foreign one; a cursor belongs to its mailbox",
      "lists.threads.page": "limit is 1 to 100, default 50; cursor continues after a page",
    },
  },
  {
    heading: "Labels and read marks",
    rows: {
      "lists.labels.add": "addLabels and removeLabels change some labels, and keep the others",
      "lists.labels.together": "labels together with them gets 400",
      "lists.labels.max": "More than 20 labels on a message get 400",
      "lists.labels.at-once": "Labels that several clients add at once are all there",
      "lists.thread.patch": "PATCH …/threads/{tid} changes all visible messages of a thread",
      "lists.thread.404": "404 for a thread that does not exist",
    },
  },
] as const satisfies ReadonlyArray<Section>
