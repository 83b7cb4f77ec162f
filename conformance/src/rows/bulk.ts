/** Bulk mail and the simulator: docs/specification/bulk.md. */
import type { Section } from "./Section.js"

export const bulk = [
  {
    heading: "Bulk mail",
    rows: {
      "bulk.replies": "bulk: true in a send, a reply and a forward",
      "bulk.400": "400 for another value of bulk",
      "bulk.alone": "Each recipient gets a mail of their own that names no other recipient",
      "bulk.return-path": "Each mail has a return path of its own",
      "bulk.unsubscribe":
        "Each mail has List-Unsubscribe with an https link and an address of its own, and List-Unsubscribe-Post",
      "bulk.signed": "The DKIM signature covers List-Unsubscribe and List-Unsubscribe-Post",
      "bulk.http": "Without https in BASE_URL the mail has the address only",
    },
  },
  {
    heading: "Unsubscribing from bulk mail",
    rows: {
      "bulk.page": "GET of the link: a page with a button and no script, which changes nothing",
      "bulk.click": "POST to the link, without cookies and from any origin: 200, unsubscribed",
      "bulk.repeat": "A repeated POST changes nothing and gets the same answer",
      "bulk.mailbox": "The recipient is suppressed for the mailbox that sent the mail, and no other",
      "bulk.listed": "The suppression list shows the entry with mailboxId, and its removal ends it",
      "bulk.lasting": "The link works a year later, and after its message was deleted",
      "bulk.forged": "404, the same page for every wrong token",
      "bulk.mailto": "A mail to the address in List-Unsubscribe does what the link does",
    },
  },
  {
    heading: "The simulator",
    rows: {
      "simulator.relay": "Mail to the simulator never reaches the relay",
      "simulator.trial": "A trial sends to the simulator too",
      "simulator.delivered": "delivered@: message.delivered, DELIVERED",
      "simulator.bounced": "bounced@: message.bounced, permanent, with 5.1.1; BOUNCED",
      "simulator.soft-bounced": "soft-bounced@: message.bounced, not permanent, with 4.2.2; BOUNCED",
      "simulator.complained": "complained@: message.delivered, then message.complaint; COMPLAINED",
      "simulator.auto-reply": "auto-reply@: an automatic answer in the thread of the message",
      "simulator.delayed": "delayed@: message.delivered after ten seconds",
      "simulator.never": "never@: the message stays SENT",
      "simulator.suppression": "A simulated bounce or complaint suppresses nothing",
      "simulator.outside": "Another name is refused; mail from other servers finds no mailbox",
    },
  },
] as const satisfies ReadonlyArray<Section>
