/** spec, "Authentication". */
import type { Section } from "./Section.js"

export const authentication = [
  {
    where: "Authentication",
    rows: {
      "authentication.rule-1-signup": "Signup needs no credentials",
      "authentication.rule-1-check-slug": "Checking a slug needs none",
      "authentication.rule-1-resend": "Asking for the verification mail again needs none",
      "authentication.rule-1-others": "Every other documented endpoint needs a key",
      "authentication.rule-2-missing": "401 without a key",
      "authentication.rule-2-invalid": "401 with a key that is none",
      "authentication.rule-3-unverified":
        "Before verification the signup key cannot send (rule 4 settles the rest)",
      "authentication.rule-3-trial": "After it: 3 days, the own address, 10 sends and 10 receives",
      "authentication.rule-3-spent":
        "A spent or expired trial answers 402 PAYMENT_REQUIRED until the checkout is completed",
      "authentication.rule-4-mailboxes": "Mailboxes can be made right after signup",
      "authentication.rule-4-webhooks": "Webhooks can be made right after signup",
      "authentication.rule-4-attachments": "Attachments can be uploaded right after signup",
      "authentication.rule-4-send": "A send before verification is 403",
      "authentication.rule-5-full": "A full-access key does what concerns the account",
      "authentication.rule-5-scoped": "A scoped key lists, reads, sends and changes in its mailboxes",
      "authentication.rule-5-404": "Mailboxes out of its scope are 404",
      "authentication.rule-5-403": "What concerns the account is 403",
      "authentication.rule-5-webhooks": "It makes webhooks of its mailboxes only",
      "authentication.rule-6":
        "A lost key is replaced: sign in, make a key with the cookie, revoke the lost one",
      "authentication.rule-7":
        "Deliveries carry the HMAC-SHA256 of the raw body, keyed with the webhook's secret",
      "authentication.rule-8": "The event stream takes a bearer key",
    },
  },
] as const satisfies ReadonlyArray<Section>
