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
      "states.account.trial": "Verification begins a trial of 3 days with 10 sends and 10 receives",
      "decisions.trial.starts":
        "The trial starts at verification: 3 days, 10 sends, 10 receives, the owner's address",
      "states.account.trial-recipient": "In the trial only the owner's verified address can be written to",
      "decisions.trial.recipient":
        "A send to another recipient is 402 TRIAL_RECIPIENT_LOCKED with the payment body",
      "decisions.trial.spent-sends": "It is spent when the 10 sends are used",
      "decisions.trial.spent-days": "It is spent when the 3 days are over",
      "states.account.spent":
        "A trial whose sends are used up requires payment: 402 PAYMENT_REQUIRED for every key",
      "states.account.expired":
        "A trial whose 3 days are over requires payment: 402 PAYMENT_REQUIRED for every key",
      "decisions.trial.receives": "The 11th receive is gated while the trial still runs",
      "states.account.paid": "A completed checkout lifts the limits at once",
    },
  },
  {
    heading: "Mailboxes",
    rows: {
      "states.mailbox.create": "Created within the plan, a mailbox is ACTIVE and provisioned later",
      "states.mailbox.pause": "An ACTIVE mailbox is paused by PATCH",
      "states.mailbox.activate": "A paused mailbox becomes ACTIVE by PATCH, within the plan",
      "states.mailbox.activate-limit": "Above the plan's limits that is 403",
      "states.mailbox.suspended": "A suspended mailbox is never activated by PATCH",
      "states.mailbox.inactive-send": "A mailbox that is not ACTIVE cannot send: 400",
      "decisions.downgrade": "A downgrade or a lapse pauses the mailboxes above the limit, pausedByBilling",
    },
  },
  {
    heading: "Gated messages",
    rows: {
      "states.inbound.visible": "A message below the month's cap is visible, its event whole",
      "states.inbound.gated-event": "A message above the cap is stored, its event a stub",
      "states.inbound.gated-read": "A gated message reads as 402 INBOUND_LIMIT_EXCEEDED",
      "decisions.gated.raw": "raw of a gated message: the same 402",
      "decisions.gated.attachments": "Its attachments: the same 402",
      "decisions.gated.reply": "reply: the same 402",
      "decisions.gated.forward": "forward: the same 402",
      "decisions.gated.patch": "PATCH: the same 402",
      "decisions.gated.delete": "DELETE: the same 402",
      "states.inbound.gated-list": "Lists hide a gated message and count it in metadata.overLimitCount",
      "states.inbound.upgrade": "An upgrade makes gated messages visible in place",
      "states.inbound.month": "The month's turn at midnight UTC makes gated messages visible in place",
      "decisions.gated.no-second-event": "Unlocking emits no second event",
      "states.inbound.trial":
        "The trial's gate is INBOUND_TRIAL_LIMIT_EXCEEDED, and only an upgrade lifts it",
      "decisions.gated.reset":
        "The month's 402 has resetAt and its headers; the trial's has neither resetAt nor Retry-After",
    },
  },
  {
    heading: "Messages",
    rows: {
      "states.message.sent": "A message is SENT once the provider took it and it is booked",
    },
  },
  {
    heading: "Webhook deliveries",
    rows: {
      "states.delivery.delivered": "A delivery that succeeds goes from PENDING to DELIVERED",
      "states.delivery.stub": "So does one that carries a stub",
    },
  },
  {
    heading: "Domains",
    rows: {
      "states.domain.verified": "A mailbox can only use a VERIFIED domain",
    },
  },
] as const satisfies ReadonlyArray<Section>
