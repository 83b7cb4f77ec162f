/** spec, "States and transitions". */
import type { Section } from "./Section.js"

export const states = [
  {
    where: "States, Mailbox status",
    rows: {
      "states.mailbox.create": "Created within the plan, a mailbox is ACTIVE and provisioned later",
      "states.mailbox.activate": "A paused mailbox becomes ACTIVE by PATCH, within the plan",
      "states.mailbox.activate-limit": "Above the plan's limits that is 403",
      "states.mailbox.suspended": "A suspended mailbox is never activated by PATCH",
      "states.mailbox.inactive-send": "A mailbox that is not ACTIVE cannot send: 400",
      "states.mailbox.pause": "An ACTIVE mailbox is paused by PATCH",
    },
  },
  {
    where: "States, Account and key gating",
    rows: {
      "states.account.trial": "Verification begins a trial of 3 days with 10 sends and 10 receives",
      "states.account.trial-recipient": "In the trial only the owner's verified address can be written to",
      "states.account.spent":
        "A trial whose sends are used up requires payment: 402 PAYMENT_REQUIRED for every key",
      "states.account.expired":
        "A trial whose 3 days are over requires payment: 402 PAYMENT_REQUIRED for every key",
      "states.account.paid": "A completed checkout lifts the limits at once",
    },
  },
  {
    where: "States, Inbound message gating",
    rows: {
      "states.inbound.visible": "A message below the month's cap is visible, its event whole",
      "states.inbound.gated-event": "A message above the cap is stored, its event a stub",
      "states.inbound.gated-read": "A gated message reads as 402 INBOUND_LIMIT_EXCEEDED",
      "states.inbound.gated-list": "Lists hide a gated message and count it in metadata.overLimitCount",
      "states.inbound.upgrade": "An upgrade makes gated messages visible in place",
      "states.inbound.month": "The month's turn at midnight UTC makes gated messages visible in place",
      "states.inbound.trial":
        "The trial's gate is INBOUND_TRIAL_LIMIT_EXCEEDED, and only an upgrade lifts it",
    },
  },
  {
    where: "States, Webhook delivery",
    rows: {
      "states.delivery.delivered": "A delivery that succeeds goes from PENDING to DELIVERED",
      "states.delivery.stub": "So does one that carries a stub",
    },
  },
  {
    where: "States, Message and domain status",
    rows: {
      "states.message.sent": "A message is SENT once the provider took it and it is booked",
      "states.domain.verified": "A mailbox can only use a VERIFIED domain",
    },
  },
] as const satisfies ReadonlyArray<Section>
