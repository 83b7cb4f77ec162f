/** decisions §2, Shapes. */
import type { Section } from "./Section.js"

export const decisionsShapes = [
  {
    where: "Decisions §2, values",
    rows: {
      "decisions.values.bytes": "MB and GB are binary: Free has 1,073,741,824 bytes",
      "decisions.values.attachment-bytes": "25 MB are 26,214,400 bytes: one more is too many",
      "decisions.values.ids": "Ids are UUIDs of version 7, and sort by time",
      "decisions.values.times": "Times are ISO 8601 UTC with milliseconds",
      "decisions.values.addresses": "Addresses are compared lower-case",
    },
  },
  {
    where: "Decisions §2, names",
    rows: {
      "decisions.names.keys": "Keys are listed as keys",
      "decisions.names.mailboxes": "Mailboxes are mailboxes and mailbox",
      "decisions.names.messages": "Messages are messages and message",
      "decisions.names.threads": "Threads are threads and thread",
      "decisions.names.domains": "Domains are domains and domain",
      "decisions.names.webhooks": "Webhooks are webhooks and webhook",
      "decisions.names.deliveries": "Deliveries are deliveries and delivery",
      "decisions.names.suppressions": "Suppressions are suppressions and suppression",
      "decisions.names.account": "The account is account",
      "decisions.flat.key": "A created key is flat: id, name, key, prefix, scoped, mailboxIds?",
      "decisions.flat.attachment": "Attachments are flat, uploaded and read",
      "decisions.flat.deleted": "A deletion is {deleted: true}",
      "decisions.flat.revoked": "A revocation is {revoked: true}",
      "decisions.flat.ok": "What has nothing to tell is {ok: true}",
      "decisions.flat.upgrade": "The upgrade is flat",
      "decisions.flat.signup": "The signup is flat",
    },
  },
  {
    where: "Decisions §2, metadata",
    rows: {
      "decisions.metadata.page":
        "Lists of messages carry overLimitCount, limit, offset, hasMore and nextCursor?",
      "decisions.metadata.upgrade": "They carry upgrade while something is gated",
      "decisions.metadata.limitHint": "They carry limitHint, in the shape of inbound_usage, from 50%",
      "decisions.metadata.cursor": "cursor goes on where a page ended, and sees every message once",
    },
  },
  {
    where: "Decisions §2, resources",
    rows: {
      "decisions.account.fields": "The fields of an account",
      "decisions.account.trial": "The fields of its trial, and null without one",
      "decisions.mailbox.fields": "The fields of a mailbox",
      "decisions.mailbox.status-case":
        "status is taken in any case, and written as the specification writes it",
      "decisions.mailbox.local-part":
        "A local part: 1 to 64 of a-z 0-9 . _ -, no leading, trailing or doubled dot",
      "decisions.mailbox.local-part-case": "It is stored lower-case",
      "decisions.message.fields": "The fields of a message",
      "decisions.message.bcc": "bccAddresses are shown to the sender only",
      "decisions.message.list": "Lists carry everything but headers",
      "decisions.message.truncated": "A body above 64 kB is cut in lists, with truncated: true",
      "decisions.message.received": "An inbound message is RECEIVED",
      "decisions.message.sending": "What the relay has not taken is in no list",
      "decisions.attachment.fields": "The fields of an attachment",
      "decisions.attachment.url": "A read adds url: signed, 24 hours, GET",
      "decisions.attachment.download": "It streams the bytes, as an attachment, nosniff",
      "decisions.attachment.range": "It supports Range",
      "decisions.thread.fields": "The fields of a thread",
      "decisions.thread.messages": "A read adds messages: visible, oldest first",
      "decisions.webhook.fields": "The fields of a webhook",
      "decisions.webhook.headers": "The values of its headers are masked",
      "decisions.webhook.secret": "secret is in the answers to creation and rotation only",
      "decisions.delivery.fields": "The fields of a delivery",
      "decisions.domain.fields": "The fields of a domain",
      "decisions.domain.records": "Its DNS records: type, host, value, priority?, state",
      "decisions.suppression.fields": "The fields of a suppression",
      "decisions.key.fields": "The fields of a key in the list",
      "decisions.key.format": "A key is mr_ and 64 hex digits; its prefix the first 11 characters",
    },
  },
] as const satisfies ReadonlyArray<Section>
