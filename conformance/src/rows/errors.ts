/** Errors and quota headers: docs/specification/errors.md. */
import type { Section } from "./Section.js"

export const errors = [
  {
    heading: "Format",
    rows: {
      "errors.format.error": "Every error of a route is JSON with a text in error",
      "decisions.errors.code": "Errors carry a code beside error",
      "decisions.errors.issues": "Validation errors name path and message of every issue",
      "errors.format.upgrade-text": "upgrade is a text on plan limits",
      "errors.format.upgrade-object-payment": "upgrade is an object on payment errors",
      "errors.format.upgrade-object-inbound": "upgrade is an object on inbound limits",
      "errors.format.payment": "Payment errors carry payment_required: true and code",
      "decisions.errors.404": "Unknown path: 404 ENDPOINT_NOT_FOUND, with links to documents and routes",
      "decisions.errors.405": "Wrong method: 405 in the same shape, with Allow",
    },
  },
  {
    heading: "Status codes",
    rows: {
      "errors.status.200": "200: success",
      "errors.status.201": "201: created",
      "errors.status.400": "400: invalid input, missing fields, or a rule",
      "errors.status.401": "401: missing or invalid key",
      "errors.status.402": "402: payment required, or the inbound limit",
      "errors.status.403": "403: plan limit, scoped key, unverified address",
      "errors.status.404": "404: does not exist, or out of scope",
      "errors.status.409": "409: a duplicate, or already paid",
      "errors.status.413": "413: too large",
      "errors.status.429": "429: rate limited",
      "errors.status.500": "500: internal error",
      "errors.status.503": "503: a dependency is unavailable",
    },
  },
  {
    heading: "Error codes",
    rows: {
      "errors.code.payment": "PAYMENT_REQUIRED: 402 when the trial is spent or expired",
      "errors.code.inbound": "INBOUND_LIMIT_EXCEEDED: 402 for a read above the month's cap",
      "errors.code.inbound-trial": "INBOUND_TRIAL_LIMIT_EXCEEDED: 402 above the trial's cap",
    },
  },
  {
    heading: "The inbound limit",
    rows: {
      "errors.inbound.message": "The read of a message: error, code, resource, upgrade, resetAt",
      "errors.inbound.attachment": "The read of an attachment: the same",
      "errors.inbound.retry-after": "Retry-After: seconds until the next month",
      "errors.inbound.retriable": "X-Service-Retriable: false",
      "errors.inbound.reset-at": "X-Service-Reset-At: resetAt",
      "errors.inbound.quota": "X-Service-Inbound-Quota: count/limit",
      "errors.inbound.warning": "X-Service-Inbound-Warning: reached",
      "errors.inbound.messages": "The list of messages still answers 200",
      "errors.inbound.threads": "The list of threads still answers 200",
    },
  },
  {
    heading: "Quota headers",
    rows: {
      "endpoints.quota": "Authenticated JSON responses carry the quota headers",
      "errors.quota.2xx": "Authenticated 2xx carry the quota headers",
      "errors.quota.4xx": "Authenticated 4xx carry them",
      "errors.quota.5xx": "Authenticated 5xx carry them",
      "errors.quota.public": "Both are absent from the public signup routes",
      "errors.quota.401": "Both are absent from a 401",
      "errors.quota.stream": "Both are absent from event streams",
      "errors.quota.count": "X-Service-Inbound-Quota is count/limit",
      "errors.quota.unlimited": "It is count/unlimited on Scale, without a warning",
      "errors.quota.approaching": "X-Service-Inbound-Warning is approaching from 50%",
      "errors.quota.near": "It is near from 80%",
      "errors.quota.reached": "It is reached from 100%",
      "errors.quota.below": "It is absent below 50%",
      "decisions.quota.paid": "Paid: the plan's cap of the calendar month",
      "decisions.quota.unverified": "Unverified: n/100",
      "decisions.quota.trial": "In the trial: n/10, from verification",
      "decisions.quota.payment-required":
        "While payment is required, every message is gated by the trial's code",
    },
  },
  {
    heading: "Common cases",
    rows: {
      "errors.scenario.daily": "Daily send limit: 429 {error, upgrade}",
      "errors.scenario.monthly": "Monthly send limit: 429 {error, upgrade}",
      "errors.scenario.usage": "Mailbox and account show the used sends",
      "errors.scenario.mailboxes": "Number of mailboxes: 403 {error, upgrade}",
      "errors.scenario.suppressed": "Suppressed recipient: 400 {error}, which names the address",
      "errors.scenario.unsuppressed": "After its removal from the list, the address can be written to",
    },
  },
] as const satisfies ReadonlyArray<Section>
