/** decisions §5, messages and threading. */
import type { Section } from "./Section.js"

export const decisionsMessages = [
  {
    where: "Decisions §5, send body",
    rows: {
      "decisions.body.to": "to: 1 to 50",
      "decisions.body.cc": "cc: copies",
      "decisions.body.bcc": "bcc: blind copies, in no header",
      "decisions.body.subject": "subject: 1 to 998",
      "decisions.body.bodies": "bodyText, bodyHtml: one of them at least",
      "decisions.body.in-reply-to-rfc": "inReplyTo: an RFC id",
      "decisions.body.in-reply-to-id": "inReplyTo: our id",
      "decisions.body.attachments-id": "attachments: ids of uploads",
      "decisions.body.attachments-inline": "attachments: filename, contentType and base64 content",
      "decisions.body.attachments-20": "attachments: at most 20",
      "decisions.body.headers": "headers: only X-Custom-*",
      "decisions.body.replyTo": "replyTo: the Reply-To header",
      "decisions.body.labels": "labels: of the stored message",
      "decisions.body.line-breaks": "No CR, LF or NUL in a header value: 400",
    },
  },
  {
    where: "Decisions §5, sizes",
    rows: {
      "decisions.sizes.attachment": "One attachment above 25 MB: 413",
      "decisions.sizes.attachments": "All attachments above 25 MB: 413",
      "decisions.sizes.message": "The encoded message above 40 MB: 413",
    },
  },
  {
    where: "Decisions §5, delivery inside",
    rows: {
      "decisions.inside.delivered": "A recipient on the platform gets the mail inside, not through the relay",
      "decisions.inside.rules": "By the rules of SMTP: an unknown one is refused",
    },
  },
  {
    where: "Decisions §5, threading",
    rows: {
      "decisions.threading.headers": "Message-ID, In-Reply-To and References tie messages into a thread",
      "decisions.threading.unseen":
        "Ids never seen tie too: two answers to a mail that never came are one thread",
      "decisions.threading.order": "The order of arrival changes nothing",
      "decisions.threading.merge": "Threads that meet become one, the older one's id",
      "decisions.threading.alias": "The other id keeps resolving to it",
      "decisions.threading.mailbox": "A thread is of one mailbox",
      "decisions.threading.subject":
        "Without any of these headers, an answer joins by subject and participant",
      "decisions.threading.subject-only-answers": "Without a reply prefix it does not",
      "decisions.threading.subject-participant": "Without a common participant it does not",
      "decisions.threading.subject-window": "After 30 days without activity it does not",
      "decisions.threading.unknown": "An unknown inReplyTo is kept as a header, and begins a thread",
      "decisions.duplicate": "The same mail again is accepted and stored once",
      "decisions.duplicate.trace": "Trace headers do not make it another one",
    },
  },
] as const satisfies ReadonlyArray<Section>
