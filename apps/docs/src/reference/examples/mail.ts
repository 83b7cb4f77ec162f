/** Examples of mail: messages, threads, drafts, claims, files, webhooks, events. */
import type { Examples } from "./Example.js"

const SINCE = "2026-01-01T00:00:00Z"

export const mailExamples: Examples = {
  "waits.inMailbox": {
    method: "messages.wait",
    query: { from: "@corp.org", since: SINCE, timeout: 30 },
    tool: { name: "wait_for_message", arguments: { from: "@corp.org", since: SINCE, timeoutSeconds: 30 } },
  },
  "waits.anywhere": {
    method: "messages.waitAny",
    query: { subject: "figures", since: SINCE, timeout: 30 },
  },
  "messages.list": {
    query: { direction: "INBOUND", unread: true, limit: 10 },
    tool: { name: "list_messages", arguments: { direction: "INBOUND", unread: true, limit: 10 } },
  },
  "messages.send": {
    body: { to: ["bob@corp.org"], subject: "Your order", bodyText: "It is on its way." },
    tool: {
      name: "send_message",
      arguments: { to: ["bob@corp.org"], subject: "Your order", text: "It is on its way." },
    },
  },
  "messages.import": {
    query: { read: true },
    curl: ["-H 'content-type: message/rfc822'", "--data-binary @old.eml"],
    argument: 'await openAsBlob("old.eml"), { read: true }',
  },
  "messages.get": {
    tool: { name: "get_message", arguments: { messageId: "$MESSAGE" } },
  },
  "messages.update": {
    body: { read: true, addLabels: ["done"] },
    tool: { name: "update_message", arguments: { messageId: "$MESSAGE", read: true, addLabels: ["done"] } },
  },
  "messages.remove": {},
  "messages.raw": {},
  "messages.quarantine": {},
  "messages.reply": {
    body: { bodyText: "They look fine." },
    tool: { name: "reply_to_message", arguments: { messageId: "$MESSAGE", text: "They look fine." } },
  },
  "messages.replyAll": {
    body: { bodyText: "They look fine to all of us." },
    tool: {
      name: "reply_to_message",
      arguments: { messageId: "$MESSAGE", all: true, text: "They look fine to all of us." },
    },
  },
  "messages.rsvp": {
    body: { status: "accepted", comment: "See you there." },
    tool: { name: "respond_to_invitation", arguments: { messageId: "$MESSAGE", status: "accepted" } },
  },
  "messages.forward": {
    body: { to: ["carol@corp.org"], bodyText: "For your information." },
    tool: {
      name: "forward_message",
      arguments: { messageId: "$MESSAGE", to: ["carol@corp.org"], text: "For your information." },
    },
  },
  "threads.list": {},
  "threads.get": { tool: { name: "get_thread", arguments: { threadId: "$THREAD" } } },
  "threads.update": { body: { read: true, addLabels: ["billing"] } },
  "threads.takeOver": {},
  "threads.release": {},
  "drafts.listAll": { query: { limit: 10 } },
  "drafts.list": { query: { limit: 10 } },
  "drafts.create": {
    body: { to: ["bob@corp.org"], subject: "Your order", bodyText: "It will leave tomorrow." },
    tool: {
      name: "create_draft",
      arguments: { to: ["bob@corp.org"], subject: "Your order", text: "It will leave tomorrow." },
    },
  },
  "drafts.get": {},
  "drafts.update": { body: { bodyText: "It left today." } },
  "drafts.remove": {},
  "drafts.send": { tool: { name: "send_draft", arguments: { draftId: "$DRAFT" } } },
  "reviews.list": { query: { limit: 10 } },
  "reviews.approve": { body: { digest: "$DIGEST" } },
  "reviews.reject": { body: { reason: "The price is wrong." } },
  "claims.next": {
    body: { leaseSeconds: 300 },
    tool: { name: "claim_message", arguments: { leaseSeconds: 300 } },
  },
  "claims.one": {
    body: { leaseSeconds: 300 },
    tool: { name: "claim_message", arguments: { messageId: "$MESSAGE", leaseSeconds: 300 } },
  },
  "claims.takeBack": {},
  "claims.renew": { body: { token: "$TOKEN" } },
  "claims.release": { body: { token: "$TOKEN" } },
  "claims.complete": {
    body: { token: "$TOKEN" },
    tool: { name: "complete_message", arguments: { messageId: "$MESSAGE", token: "$TOKEN" } },
  },
  "lists.messages": { method: "messages.listAll", query: { from: "@corp.org", limit: 10 } },
  "lists.threads": {
    method: "threads.listAll",
    query: { limit: 10 },
    tool: { name: "list_threads", arguments: { limit: 10 } },
  },
  "search.everywhere": {
    method: "messages.searchAll",
    query: { q: "from:bob figures" },
    tool: { name: "search_messages", arguments: { query: "from:bob figures" } },
  },
  "search.inMailbox": { method: "messages.search", query: { q: "figures has:attachment", sort: "date" } },
  "attachments.upload": { curl: ["-F file=@figures.csv"], argument: 'await openAsBlob("figures.csv")' },
  "attachments.get": {},
  "attachments.remove": {},
  "attachments.text": {
    query: { maxChars: 2000 },
    tool: { name: "get_attachment_text", arguments: { attachmentId: "$ATTACHMENT" } },
  },
  "attachments.download": {
    command: 'curl "$DOWNLOAD_URL"',
    program:
      "const response = await mailroom.attachments.download(attachmentId)\nconst text = await response.text()",
  },
  "webhooks.list": {},
  "webhooks.create": {
    body: { url: "https://example.com/hook", events: ["message.received", "message.bounced"] },
  },
  "webhooks.get": {},
  "webhooks.update": { body: { events: ["message.received"] } },
  "webhooks.remove": {},
  "webhooks.test": { body: { event: "message.received" } },
  "webhooks.rotateSecret": {},
  "webhooks.deliveries": { query: { limit: 10 } },
  "webhooks.delivery": {},
  "webhooks.redeliver": {},
  "events.stream": {
    command: [
      'curl -N "$MAILROOM_URL/v1/events?events=message.received" \\',
      '  -H "Authorization: Bearer $MAILROOM_API_KEY"',
    ].join("\n"),
    program:
      'for await (const event of mailroom.events({ types: ["message.received"] }))\n  console.log(event.data)',
    notRun: "does not end by itself",
  },
  "events.log": { query: { events: "message.received", limit: 2 } },
}
