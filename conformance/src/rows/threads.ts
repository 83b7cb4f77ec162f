/** spec, Endpoints, Threads. */
import type { Section } from "./Section.js"

export const threads = [
  {
    where: "Endpoints, GET /v1/mailboxes/{id}/threads",
    rows: {
      "threads.list.200": "200 with threads, newest visible activity first",
      "threads.list.50": "At most 50, without pages",
      "threads.list.metadata": "The inbound limit's metadata is beside them",
      "threads.list.gated": "A thread that holds gated messages only is left out",
      "threads.list.401": "401 without a key",
      "threads.list.402": "402 when payment is required",
      "threads.list.403": "403 when the account is suspended",
      "threads.list.404": "404 for a mailbox that does not exist",
    },
  },
  {
    where: "Endpoints, GET /v1/mailboxes/{id}/threads/{tid}",
    rows: {
      "threads.get.200": "200 with the thread and its visible messages",
      "threads.get.401": "401 without a key",
      "threads.get.402": "402 when payment is required",
      "threads.get.403": "403 when the account is suspended",
      "threads.get.404": "404 for one that does not exist",
    },
  },
] as const satisfies ReadonlyArray<Section>
