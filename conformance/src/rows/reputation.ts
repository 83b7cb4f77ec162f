/** Counters of mail and sending health: docs/specification/reputation.md. */
import type { Section } from "./Section.js"

export const reputation = [
  {
    heading: "GET /v1/metrics",
    rows: {
      "reputation.metrics.200": "200 with a point for every period, and the sums",
      "reputation.metrics.counted": "Messages count once, their recipients once in each report",
      "reputation.metrics.range": "from and to, widened to whole periods, and their defaults",
      "reputation.metrics.400": "400 for a range that is backwards, too long, or before what is kept",
      "reputation.metrics.scoped": "mailboxId selects a mailbox; a scoped key sees its own",
      "reputation.metrics.kept": "Deleting a message changes no counter",
    },
  },
  {
    heading: "Sending health",
    rows: {
      "reputation.health.bounces": "More than 10 % hard bounces stop the sending",
      "reputation.health.soft": "Soft bounces and repeated reports do not count",
      "reputation.health.complaints": "Complaints about more than 0.5 % stop the sending",
      "reputation.health.minimum": "Nothing is judged below 50 sends; the send that makes them 50 is",
      "reputation.health.warning": "A warning at half of it, once until the mailbox is healthy",
      "reputation.health.deleted": "Reports about deleted messages count for 10 days",
      "reputation.stop.403": "403 SENDING_STOPPED, after an inactive mailbox, before an unverified owner",
      "reputation.stop.shown": "The mailbox shows sendingStopped",
      "reputation.stop.told": "mailbox.sending_stopped, and a mail to the owner",
      "reputation.stop.operator": "The operator lists the stopped mailboxes",
    },
  },
  {
    heading: "POST /v1/mailboxes/{id}/resume-sending",
    rows: {
      "reputation.resume.200": "200: it sends again, and what was before does not count",
      "reputation.resume.refused": "403 with a scoped key, 404 for a mailbox that does not exist",
      "reputation.resume.audit": "The audit trail has every stop and resume",
      "reputation.resume.operator": "The operator can resume it",
    },
  },
] as const satisfies ReadonlyArray<Section>
