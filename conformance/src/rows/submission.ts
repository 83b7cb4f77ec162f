/** Submission by SMTP: docs/specification/submission.md. */
import type { Section } from "./Section.js"

export const submission = [
  {
    heading: "Signing in",
    rows: {
      "submission.auth": "AUTH PLAIN and LOGIN with the address of a mailbox and an API key",
      "submission.auth.first": "530 5.7.0 for MAIL before a sign-in",
      "submission.auth.535": "535 5.7.8, the same for a wrong key, address or scope",
      "submission.auth.permission": "550 5.7.1 for MAIL with a key that may not send",
      "submission.auth.revoked": "A revoked key sends no further mail",
    },
  },
  {
    heading: "The mail",
    rows: {
      "submission.from": "From is the mailbox alone, and Sender absent or the mailbox; else 550 5.7.1",
      "submission.mail-from": "MAIL FROM is the mailbox or empty; else 550 5.7.1",
      "submission.record": "Stored, announced, counted and signed as a send over HTTP",
      "submission.recipients":
        "The envelope decides: others than in To and Cc are blind copies, and Bcc is removed",
      "submission.body": "The body is sent unchanged, with the fields that describe it",
      "submission.headers": "Kept are X-Custom-* and harmless fields; the rest is written or dropped",
      "submission.ids": "Message-ID is kept, In-Reply-To and References continue a conversation",
      "submission.empty": "Subject, text and To may be absent",
      "submission.554": "554 5.6.0 for NUL, or two fields that say how to read the body",
      "submission.sizes": "552 5.3.4 for a mail, a header or attachments above the limits",
    },
  },
  {
    heading: "Refusals",
    rows: {
      "submission.recipient": "Recipients are refused one by one where a rule names them",
      "submission.trial": "550 5.7.1 in the trial for others than the owner",
      "submission.quota": "452 4.7.1 for the minute and the day, 550 5.7.1 for the month",
      "submission.storage": "552 5.2.2 when the storage is full",
      "submission.relay": "451 4.4.1 without a relay, 550 5.1.1 when it refuses; nothing is counted",
    },
  },
  {
    heading: "Approval",
    rows: {
      "submission.review": "250 queued for review; the approval sends the submitted body",
      "submission.review.changed": "A changed draft is composed of its fields",
    },
  },
  {
    heading: "The same mail again",
    rows: {
      "submission.repeat": "The same Message-ID within a day gets the first reply and is sent once",
      "submission.repeat.554": "554 5.6.0 for another mail with this Message-ID to the same recipients",
      "submission.repeat.refused": "A refused mail is judged anew",
      "submission.repeat.unknown": "554 5.4.2 when the mail may have been sent",
    },
  },
] as const satisfies ReadonlyArray<Section>
