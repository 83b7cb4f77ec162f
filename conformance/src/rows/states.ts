/** States and what changes them: docs/specification/states.md. */
import type { Section } from "./Section.js"

export const states = [
  {
    heading: "Accounts",
    rows: {
      "decisions.state.flow": "unverified, trial, payment_required, active, in this order",
      "decisions.state.suspended": "suspended from any, by the operator",
      "decisions.state.unverified": "Before verification everything works but sending",
      "decisions.state.no-billing": "Under BILLING=none verification leads to active",
      "decisions.plan.free": "plan is Free until a plan is bought",
    },
  },
  {
    heading: "The trial",
    rows: {
      "states.account.trial": "Verification begins a trial with 3 days, 10 sends and 10 received messages",
      "decisions.trial.starts":
        "The trial starts at verification: 3 days, 10 sends, 10 receives, the owner's address",
      "states.account.trial-recipient": "In the trial, sends can only go to the owner's verified address",
      "decisions.trial.recipient":
        "A send to another recipient is 402 TRIAL_RECIPIENT_LOCKED with the payment body",
      "decisions.trial.spent-sends": "It is spent when the 10 sends are used",
      "decisions.trial.spent-days": "It is spent when the 3 days are over",
      "states.account.spent": "When the trial's sends are used, every key answers 402 PAYMENT_REQUIRED",
      "states.account.expired": "When the trial's 3 days are over, every key answers 402 PAYMENT_REQUIRED",
      "decisions.trial.receives": "The 11th received message is gated while the trial still runs",
      "states.account.paid": "A completed checkout lifts the limits at once",
    },
  },
  {
    heading: "Mailboxes",
    rows: {
      "states.mailbox.create": "A mailbox created within the plan is ACTIVE, and provisioned later",
      "states.mailbox.pause": "PATCH pauses an ACTIVE mailbox",
      "states.mailbox.activate": "PATCH makes a paused mailbox ACTIVE within the plan",
      "states.mailbox.activate-limit": "Above the plan's limits that answers 403",
      "states.mailbox.suspended": "PATCH cannot activate a suspended mailbox",
      "states.mailbox.inactive-send": "A mailbox that is not ACTIVE cannot send: 400",
      "decisions.downgrade": "A downgrade or a lapse pauses the mailboxes above the limit, pausedByBilling",
    },
  },
  {
    heading: "Gated messages",
    rows: {
      "states.inbound.visible": "A message below the monthly limit is visible, and its event is complete",
      "states.inbound.gated-event": "A message above the limit is stored, and its event is a stub",
      "states.inbound.gated-read": "Reading a gated message answers 402 INBOUND_LIMIT_EXCEEDED",
      "decisions.gated.raw": "raw of a gated message: the same 402",
      "decisions.gated.attachments": "Its attachments: the same 402",
      "decisions.gated.reply": "reply: the same 402",
      "decisions.gated.forward": "forward: the same 402",
      "decisions.gated.patch": "PATCH: the same 402",
      "decisions.gated.delete": "DELETE: the same 402",
      "states.inbound.gated-list": "Lists hide a gated message and count it in metadata.overLimitCount",
      "states.inbound.upgrade": "An upgrade makes gated messages visible in place",
      "states.inbound.month": "A new month at midnight UTC makes gated messages visible in place",
      "decisions.gated.no-second-event": "Unlocking emits no second event",
      "states.inbound.trial":
        "In the trial the code is INBOUND_TRIAL_LIMIT_EXCEEDED, and only an upgrade lifts the limit",
      "decisions.gated.reset":
        "The month's 402 has resetAt and its headers; the trial's has neither resetAt nor Retry-After",
    },
  },
  {
    heading: "Messages",
    rows: {
      "states.message.sent": "A message is SENT when the relay has accepted it and that is recorded",
    },
  },
  {
    heading: "Webhook deliveries",
    rows: {
      "states.delivery.delivered": "A delivery that succeeds goes from PENDING to DELIVERED",
      "states.delivery.stub": "The delivery of a stub does so too",
    },
  },
  {
    heading: "Domains",
    rows: {
      "states.domain.verified": "A mailbox can only use a VERIFIED domain",
    },
  },
] as const satisfies ReadonlyArray<Section>
