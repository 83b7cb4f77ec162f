/** Plans, quotas, sizes, rates and periods: docs/specification/limits.md. */
import type { Section } from "./Section.js"

export const limits = [
  {
    heading: "Plans",
    rows: {
      "limits.plans.free": "Free: 0 USD, 3 mailboxes, 100 a day and 5,000 a month each, 100 inbound, 1 GB",
      "limits.plans.free-domains": "Free has no custom domains",
      "limits.plans.developer":
        "Developer: 19 USD, 10 mailboxes, 500 a day and 15,000 a month, 2,000 inbound, 10 GB",
      "limits.plans.developer-domains": "Developer has 1 custom domain",
      "limits.plans.growth":
        "Growth: 79 USD, 50 mailboxes, 1,000 a day, no monthly limit, 20,000 inbound, 25 GB",
      "limits.plans.growth-domains": "Growth has 5 custom domains",
      "limits.plans.scale":
        "Scale: 199 USD, 200 mailboxes, 2,000 a day, no monthly limit, unlimited inbound, 100 GB",
      "limits.plans.scale-domains": "Scale has unlimited custom domains",
      "decisions.quota.free-day": "Free has 100 sends a day",
    },
  },
  {
    heading: "Sending",
    rows: {
      "limits.send.independent": "Every mailbox has its own counters",
      "limits.send.day": "The daily counter resets at midnight UTC",
      "limits.send.month": "The monthly counter resets at midnight UTC on the 1st",
      "limits.send.429-day": "At the daily limit sends are 429",
      "limits.send.429-month": "At the monthly limit sends are 429",
      "limits.send.velocity": "The send velocity is limited",
    },
  },
  {
    heading: "The trial",
    rows: {
      "limits.send.trial": "The trial: 10 sends and 10 received messages, the owner's address, 3 days",
    },
  },
  {
    heading: "Inbound mail",
    rows: {
      "limits.inbound.account": "The cap counts over all mailboxes of an account",
      "limits.inbound.month": "It resets at midnight UTC on the 1st",
      "limits.inbound.gated":
        "Messages above the limit: stored, stub events, 402 on reads, hidden and counted in lists",
      "limits.inbound.unlock-upgrade": "An upgrade unlocks them in place",
      "limits.inbound.unlock-month": "A new month unlocks them in place",
    },
  },
  {
    heading: "Storage",
    rows: {
      "limits.storage.usage": "storageUsedBytes and storageLimitBytes count the account's attachments",
      "limits.storage.413": "An upload above the limit is 413",
    },
  },
  {
    heading: "Rates",
    rows: {
      "limits.rate.signup": "5 signups an hour per client address; X-RateLimit-Remaining counts down",
      "limits.rate.check-slug": "30 slug checks a minute per client address",
      "limits.rate.streams": "5 open event streams of an account",
      "limits.rate.none": "Nothing else is limited by the number of requests",
    },
  },
  {
    heading: "Sizes",
    rows: {
      "limits.size.attachment": "An attachment has at most 25 MB",
      "decisions.sizes.attachment": "One attachment above 25 MB: 413",
      "decisions.values.attachment-bytes": "25 MB are 26,214,400 bytes; one byte more is refused",
      "limits.size.message": "A message's attachments have at most 25 MB together",
      "decisions.sizes.attachments": "All attachments above 25 MB: 413",
      "decisions.sizes.message": "The encoded message above 40 MB: 413",
      "decisions.body.attachments-20": "attachments: at most 20",
      "limits.size.inbound-attachments": "An inbound message keeps at most 20 attachments",
      "limits.size.subject": "A subject has at most 998 characters",
      "limits.size.page": "limit of messages: 1 to 100, default 50",
      "limits.size.threads": "At most 50 threads, no pages",
    },
  },
  {
    heading: "Periods",
    rows: {
      "limits.size.download": "A download link is valid for 24 hours",
      "limits.size.checkout": "A checkout link is valid for 24 hours",
    },
  },
] as const satisfies ReadonlyArray<Section>
