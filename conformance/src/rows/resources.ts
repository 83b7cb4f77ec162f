/** spec, "Resources and their fields". */
import type { Section } from "./Section.js"

export const resources = [
  {
    where: "Resources, Account / user",
    rows: {
      "resources.account.slug": "user.slug: 3 to 30 lower-case letters, digits and hyphens",
      "resources.account.platform_domain": "user.platform_domain: the account's subdomain, at signup",
      "resources.account.email_verified": "email_verified: false at signup",
      "resources.account.verify_email": "next_steps.verify_email: a hint, at signup",
      "resources.account.create_mailbox": "next_steps.create_mailbox: a hint, at signup",
      "resources.account.plan": "plan: Free, Developer, Growth or Scale",
      "resources.account.storageUsedBytes": "storageUsedBytes: the bytes of all attachments",
      "resources.account.storageLimitBytes": "storageLimitBytes: the plan's storage",
      "resources.account.sentToday": "sentToday: today's sends of all mailboxes",
      "resources.account.sentThisMonth": "sentThisMonth: the month's sends of all mailboxes",
      "resources.account.more":
        "The account tells its mailbox counts, its inbound quota and whether billing is linked",
    },
  },
  {
    where: "Resources, API key",
    rows: {
      "resources.key.key": "key: the raw key, shown at its creation only",
      "resources.key.prefix": "prefix: the first part of the key, in lists too",
      "resources.key.name": "name: the label it was given",
      "resources.key.mailboxIds": "mailboxIds: the scope; left out, the key has full access",
      "resources.key.id": "id: what it is revoked by",
      "resources.key.listing": "Lists have the prefix and metadata, never a raw key",
      "resources.key.signup": "Signup returns the key as api_key.key",
    },
  },
  {
    where: "Resources, Mailbox",
    rows: {
      "resources.mailbox.address": "address: the local part given at creation; the full address is beside it",
      "resources.mailbox.displayName": "displayName: optional",
      "resources.mailbox.domainId": "domainId: optional at creation; a VERIFIED domain",
      "resources.mailbox.status": "status: ACTIVE, paused or suspended",
      "resources.mailbox.mailServerProvisioned": "mailServerProvisioned: whether provisioning is complete",
      "resources.mailbox.dailySendCount": "dailySendCount: this mailbox's sends of today",
      "resources.mailbox.monthlySendCount": "monthlySendCount: this mailbox's sends of the month",
      "resources.mailbox.receivedThisMonth": "receivedThisMonth: on every row of the list",
    },
  },
  {
    where: "Resources, Message",
    rows: {
      "resources.message.direction": "direction: INBOUND or OUTBOUND",
      "resources.message.status": "status: SENT after a send",
      "resources.message.to": "to: a list of addresses in the send body",
      "resources.message.subject": "subject: at most 998 characters",
      "resources.message.bodyText": "bodyText: the text body",
      "resources.message.bodyHtml": "bodyHtml: the HTML body",
      "resources.message.inReplyTo": "inReplyTo: the message that is answered; it threads the reply",
      "resources.message.threadId": "threadId: the UUID of the thread",
      "resources.message.attachments": "attachments: on a single read",
      "resources.message.camel": "A single read is camelCase: messageId, bodyText",
    },
  },
  {
    where: "Resources, Thread",
    rows: {
      "resources.thread.id": "A thread has a UUID that stays the same",
      "resources.thread.visible": "messageCount and lastMessageAt speak of visible messages only",
    },
  },
  {
    where: "Resources, Attachment in events",
    rows: {
      "resources.attachment.id": "id: a UUID",
      "resources.attachment.filename": "filename: text",
      "resources.attachment.content_type": "content_type: the MIME type",
      "resources.attachment.size_bytes": "size_bytes: the size",
      "resources.attachment.content_id": "content_id: of an inline image, without angle brackets; else null",
      "resources.attachment.download_url": "download_url: a signed link, for 24 hours from the attempt",
    },
  },
  {
    where: "Resources, Webhook",
    rows: {
      "resources.webhook.id": "id: text",
      "resources.webhook.url": "url: the receiver's HTTPS address",
      "resources.webhook.events": "events: the kinds it asked for",
      "resources.webhook.secret": "secret: in the answer to its creation only",
    },
  },
  {
    where: "Resources, Upgrade response",
    rows: {
      "resources.upgrade.checkout_url": "checkout_url: the link for the owner",
      "resources.upgrade.expires_at": "expires_at: Unix seconds, 24 hours after creation",
      "resources.upgrade.message": "message: a hint",
    },
  },
] as const satisfies ReadonlyArray<Section>
