/** Allow and block lists, policies of receiving, quarantine, trust and spam: docs/specification/senders.md. */
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
      "senders.lists.tag": "A block entry counts for the address with any tag; an allow entry does not",
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
  {
    heading: "Receiving",
    rows: {
      "senders.receive.blocked": "Mail of a blocked sender is quarantined",
      "senders.receive.allowlisted":
        "A mailbox with receivePolicy allowlisted takes mail of allowed senders only",
      "senders.receive.owner": "and the owner's mail, when it is proven",
      "senders.refuse.550": "onBlocked refuse: 550 5.7.1 at RCPT for a blocked envelope sender",
      "senders.refuse.allowlisted": "and for one that an allowlisted mailbox does not know",
      "senders.refuse.answer":
        "A recipient of the mailbox's own mail is not refused; the answer is quarantined",
      "senders.refuse.null": "The null return path is not refused",
      "senders.refuse.from": "Mail whose From address alone is blocked is quarantined",
      "senders.refuse.inside": "A send from another mailbox of the service gets 400 RELAY_REFUSED",
    },
  },
  {
    heading: "Quarantine",
    rows: {
      "senders.quarantine.triggers":
        "The mailbox quarantines the mail that its policy names; by default none",
      "senders.quarantine.hidden": "Hidden in lists, threads, search, waits, claims; 404 on reads",
      "senders.quarantine.include": "include=quarantined in lists and reads shows it, with quarantined",
      "senders.quarantine.only": "quarantined=true in a list shows the quarantined messages alone",
      "senders.quarantine.event": "message.quarantined without content, and no message.received",
      "senders.quarantine.counts": "It counts in quotas as other mail",
      "senders.quarantine.release": "release shows it and emits message.received",
      "senders.quarantine.release-400":
        "400 for a release without token of a message that is not quarantined",
      "senders.quarantine.manual": "quarantine hides a received message, reason manual",
      "senders.quarantine.sent": "400 for a sent message",
      "senders.quarantine.delete": "DELETE removes it",
      "senders.quarantine.permission": "403 without the permission manage",
      "senders.quarantine.gated": "A gate comes first; unlocked, the message is quarantined",
    },
  },
  {
    heading: "Trust",
    rows: {
      "senders.trust.fields": "trust {level, reasons} on received messages; null on sent ones",
      "senders.trust.owner": "owner: the owner's verified address, proven",
      "senders.trust.known":
        "known: proven, and this mailbox wrote to the sender before, or an allow list has it",
      "senders.trust.verified": "verified: proven",
      "senders.trust.unverified": "unverified: nothing proves the sender's domain",
      "senders.trust.suspicious": "suspicious: all reasons, in a fixed order; it outweighs the other levels",
      "senders.trust.dmarc": "dmarc_fail: DMARC fails, and the policy is quarantine or reject",
      "senders.trust.lookalike": "lookalike_domain: the skeleton of a known domain",
      "senders.trust.event": "message.received has trust",
    },
  },
  {
    heading: "Spam",
    rows: {
      "senders.spam.none": "spam is null without a spam filter, and on sent messages",
    },
  },
] as const satisfies ReadonlyArray<Section>
