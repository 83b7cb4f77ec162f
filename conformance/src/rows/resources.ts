/** The fields of every resource: docs/specification/resources.md. */
import type { Section } from "./Section.js"

export const resources = [
  {
    heading: "Signup response",
    rows: {
      "resources.account.platform_domain": "user.platform_domain: the account's subdomain, at signup",
      "resources.key.signup": "Signup returns the key as api_key.key",
      "resources.account.email_verified": "email_verified: false at signup",
      "resources.account.verify_email": "next_steps.verify_email: a hint, at signup",
      "resources.account.create_mailbox": "next_steps.create_mailbox: a hint, at signup",
    },
  },
  {
    heading: "Account",
    rows: {
      "decisions.account.fields": "The fields of an account",
      "resources.account.more":
        "The account shows its mailbox counts, its inbound quota and whether billing is linked",
      "resources.account.slug": "user.slug: 3 to 30 lower-case letters, digits and hyphens",
      "resources.account.plan": "plan: Free, Developer, Growth or Scale",
      "resources.account.storageUsedBytes": "storageUsedBytes: storage used by attachments",
      "resources.account.storageLimitBytes": "storageLimitBytes: storage of the plan",
      "resources.account.sentToday": "sentToday: today's sends of all mailboxes",
      "resources.account.sentThisMonth": "sentThisMonth: the month's sends of all mailboxes",
      "decisions.account.trial": "The fields of its trial, and null without one",
    },
  },
  {
    heading: "API key",
    rows: {
      "resources.key.listing": "Lists have the prefix and metadata, never a raw key",
      "decisions.key.fields": "The fields of a key in the list",
      "resources.key.id": "id: names the key for its revocation",
      "resources.key.name": "name: the label given at creation",
      "resources.key.prefix": "prefix: the first part of the key, in lists too",
      "resources.key.mailboxIds": "mailboxIds: the scope; without it the key has full access",
      "decisions.key.format": "A key is mr_ and 64 hex digits; its prefix the first 11 characters",
      "resources.key.key": "key: the raw key, shown at its creation only",
    },
  },
  {
    heading: "Mailbox",
    rows: {
      "decisions.mailbox.fields": "The fields of a mailbox",
      "resources.mailbox.domainId": "domainId: optional at creation; a VERIFIED domain",
      "resources.mailbox.address": "address: the local part given at creation; the full address is beside it",
      "resources.mailbox.displayName": "displayName: optional",
      "resources.mailbox.status": "status: ACTIVE, paused or suspended",
      "resources.mailbox.mailServerProvisioned": "mailServerProvisioned: whether provisioning is complete",
      "resources.mailbox.dailySendCount": "dailySendCount: this mailbox's sends of today",
      "resources.mailbox.monthlySendCount": "monthlySendCount: this mailbox's sends of the month",
      "resources.mailbox.receivedThisMonth": "receivedThisMonth: on every row of the list",
      "decisions.mailbox.status-case":
        "status is accepted in any case, and returned as ACTIVE, paused or suspended",
      "decisions.mailbox.local-part":
        "A local part: 1 to 64 of a-z 0-9 . _ -, no leading, trailing or doubled dot",
      "decisions.mailbox.local-part-case": "It is stored lower-case",
    },
  },
  {
    heading: "Message",
    rows: {
      "decisions.message.fields": "The fields of a message",
      "resources.message.camel": "A single read is camelCase: messageId, bodyText",
      "resources.message.direction": "direction: INBOUND or OUTBOUND",
      "resources.message.deliveredTo":
        "deliveredTo: the envelope recipient with its tag; null for sent messages",
      "resources.message.inReplyTo": "inReplyTo: the answered message, which threads the reply",
      "resources.message.subject": "subject: at most 998 characters",
      "resources.message.bodyText": "bodyText: the text body",
      "resources.message.bodyHtml": "bodyHtml: the HTML body",
      "resources.message.attachments": "attachments: on a single read",
      "resources.message.threadId": "threadId: the UUID of the thread",
      "resources.message.status": "status: SENT after a send",
      "resources.message.to": "to: a list of addresses in the send body",
      "decisions.message.bcc": "bccAddresses are shown to the sender only",
      "decisions.message.list": "Lists carry everything but headers",
      "decisions.message.truncated": "A body above 64 kB is cut in lists, with truncated: true",
      "decisions.message.received": "An inbound message is RECEIVED",
      "decisions.message.sending": "A message that the relay has not accepted is in no list",
    },
  },
  {
    heading: "Thread",
    rows: {
      "decisions.thread.fields": "The fields of a thread",
      "resources.thread.id": "A thread has a UUID that does not change",
      "resources.thread.visible": "messageCount and lastMessageAt count visible messages only",
      "decisions.thread.messages": "A read adds messages: visible, oldest first",
    },
  },
  {
    heading: "Attachment",
    rows: {
      "decisions.attachment.fields": "The fields of an attachment",
      "decisions.attachment.url": "A read adds url: signed, 24 hours, GET",
      "decisions.attachment.download": "It streams the bytes, as an attachment, nosniff",
      "decisions.attachment.range": "It supports Range",
      "resources.attachment.id": "id: a UUID",
      "resources.attachment.filename": "filename: text",
      "resources.attachment.content_type": "content_type: the MIME type",
      "resources.attachment.size_bytes": "size_bytes: the size",
      "resources.attachment.content_id": "content_id: of an inline image, without angle brackets; else null",
      "resources.attachment.download_url": "download_url: a signed link, for 24 hours from the attempt",
    },
  },
  {
    heading: "Webhook",
    rows: {
      "decisions.webhook.fields": "The fields of a webhook",
      "resources.webhook.id": "id: text",
      "resources.webhook.url": "url: the receiver's HTTPS address",
      "resources.webhook.events": "events: the subscribed kinds",
      "decisions.webhook.headers": "The values of its headers are masked",
      "resources.webhook.secret": "secret: in the answer to its creation only",
      "decisions.webhook.secret": "secret is in the answers to creation and rotation only",
    },
  },
  {
    heading: "Delivery",
    rows: {
      "decisions.delivery.fields": "The fields of a delivery",
    },
  },
  {
    heading: "Domain",
    rows: {
      "decisions.domain.fields": "The fields of a domain",
      "decisions.domain.records": "Its DNS records: type, host, value, priority?, state",
    },
  },
  {
    heading: "Suppression",
    rows: {
      "decisions.suppression.fields": "The fields of a suppression",
    },
  },
  {
    heading: "Upgrade response",
    rows: {
      "resources.upgrade.checkout_url": "checkout_url: the link for the owner",
      "resources.upgrade.expires_at": "expires_at: Unix seconds, 24 hours after creation",
      "resources.upgrade.message": "message: a hint",
    },
  },
] as const satisfies ReadonlyArray<Section>
