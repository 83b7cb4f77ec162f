/** Threads: docs/specification/threads.md. */
import type { Section } from "./Section.js"

export const threads = [
  {
    heading: "GET /v1/mailboxes/{id}/threads",
    rows: {
      "threads.list.200": "200 with threads, newest visible activity first",
      "threads.list.50": "At most 50, without pages",
      "threads.list.metadata": "The inbound limit's metadata is beside them",
      "threads.list.gated": "A thread with gated messages only is left out",
      "threads.list.401": "401 without a key",
      "threads.list.402": "402 when payment is required",
      "threads.list.403": "403 when the account is suspended",
      "threads.list.404": "404 for a mailbox that does not exist",
    },
  },
  {
    heading: "GET /v1/mailboxes/{id}/threads/{tid}",
    rows: {
      "threads.get.200": "200 with the thread and its visible messages",
      "threads.get.401": "401 without a key",
      "threads.get.402": "402 when payment is required",
      "threads.get.403": "403 when the account is suspended",
      "threads.get.404": "404 for one that does not exist",
    },
  },
  {
    heading: "POST /v1/threads/{tid}/takeover and release",
    rows: {
      "threads.takeover.200": "200 with the thread and takenOverAt; repeated calls change nothing",
      "threads.takeover.permission": "A session, or a key with review",
      "threads.takeover.404": "404 for a thread that is absent or foreign",
      "threads.takeover.409": "Sends of keys get 409 THREAD_TAKEN_OVER on every route, and 550 by SMTP",
      "threads.takeover.person": "The owner's session sends",
      "threads.takeover.goes-on": "Mail, events, labels, claims and new threads go on",
      "threads.takeover.due": "A scheduled send of a key fails when it is due; that of a person is sent",
      "threads.takeover.approved": "What a person approves since is sent, what was approved before fails",
      "threads.takeover.merged": "A merged thread is taken over when one of its threads was",
      "threads.takeover.events": "Each change is one event and one entry of the audit trail",
      "threads.released": "Keys send into a released thread",
    },
  },
  {
    heading: "How messages are grouped",
    rows: {
      "decisions.threading.headers": "Message-ID, In-Reply-To and References tie messages into a thread",
      "decisions.threading.mailbox": "A thread belongs to one mailbox",
      "decisions.threading.unseen": "Ids of unseen mails count: two answers to one are one thread",
      "decisions.threading.order": "The order of arrival does not matter",
      "decisions.threading.merge": "Threads that are tied become one, with the id of the older",
      "decisions.threading.alias": "The other id still leads to it",
      "decisions.threading.subject":
        "Without any of these headers, an answer joins by subject and participant",
      "decisions.threading.subject-only-answers": "Without a reply prefix it does not join",
      "decisions.threading.subject-participant": "Without a common participant it does not join",
      "decisions.threading.subject-window": "After 30 days of inactivity it does not join",
      "decisions.threading.unknown": "An unknown inReplyTo becomes a header, and the message begins a thread",
    },
  },
] as const satisfies ReadonlyArray<Section>
