/** Allow and block lists, policies of receiving, and quarantine: docs/specification/senders.md. */
import type { Section } from "./Section.js"

export const senders = [
  {
    heading: "Allow and block lists",
    rows: {
      "senders.lists.list": "GET of a list: 200 with its entries, newest first, page by page",
      "senders.lists.add": "POST: 201; an entry that is there keeps its reason and time",
      "senders.lists.entry": "An entry is an address, @domain or @*.domain, normalized; else 400",
      "senders.lists.delete": "DELETE removes an entry from its list; else 404",
      "senders.lists.mailbox": "The same under a mailbox, whose lists end with it",
      "senders.lists.names": "404 for a list of another name",
      "senders.lists.max": "400 LIST_LIMIT_REACHED above the limit of an account",
      "senders.lists.scoped": "403 for a scoped key",
    },
  },
  {
    heading: "The verdict",
    rows: {
      "senders.lists.specific":
        "The most specific entry decides: mailbox, then address, domain, wildcard; at equal rank block",
      "senders.lists.proven": "An allow entry counts only for a proven sender",
      "senders.lists.envelope": "A blocked envelope sender blocks the mail",
    },
  },
  {
    heading: "Recipients",
    rows: {
      "senders.send.400": "400 RECIPIENT_BLOCKED for a blocked recipient, with its address",
      "senders.send.allow": "An allow entry lifts a less specific block",
      "senders.send.order": "After test domains, before suppressions",
    },
  },
] as const satisfies ReadonlyArray<Section>
