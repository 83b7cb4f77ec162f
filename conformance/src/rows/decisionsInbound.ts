/** decisions §6: inbound SMTP, who a mail is from, reports about mail that left. */
import type { Section } from "./Section.js"

export const decisionsInbound = [
  {
    where: "Decisions §6, receiving",
    rows: {
      "decisions.smtp.250": "After the 250 the message is there within moments",
      "decisions.smtp.unknown": "Unknown recipient: 550 5.1.1 at RCPT",
      "decisions.smtp.suspended": "Suspended: 550 5.2.1",
      "decisions.smtp.unprovisioned": "Not yet provisioned: 450 4.2.1",
      "decisions.smtp.paused": "A paused mailbox receives",
      "decisions.smtp.tag": "agent+tag@ goes to agent@",
      "decisions.smtp.relaying": "No relaying",
      "decisions.smtp.auth": "No AUTH",
      "decisions.smtp.starttls": "STARTTLS when a certificate is configured",
      "decisions.smtp.size": "SIZE 40 MB: above it 552 5.3.4",
      "decisions.smtp.dropped": "Attachments above 25 MB and beyond the 20th are dropped and told of",
      "decisions.smtp.bare-newlines": "Bare LF and CR in DATA are refused",
      "decisions.smtp.loop": "More than 50 Received headers: 554 5.4.6",
      "decisions.smtp.raw": "The raw message is kept",
      "decisions.smtp.authentication":
        "SPF, DKIM and DMARC are evaluated and stored, and never reject by themselves",
    },
  },
  {
    where: "Decisions §6, reports",
    rows: {
      "decisions.reports.return-path": "Mail leaves with a signed return path, one for each message",
      "decisions.reports.forged": "A return path that was never signed takes no mail",
      "decisions.reports.bounced": "A permanent bounce suppresses the address and shows in the status",
      "decisions.reports.full": "A full mailbox is a bounce that suppresses nobody",
      "decisions.reports.complained": "A complaint suppresses the address and shows in the status",
      "decisions.reports.delivered": "A delivery shows in the status",
      "decisions.reports.vacation": "A vacation note is mail, automated, and no report",
    },
  },
] as const satisfies ReadonlyArray<Section>
