/** Mailboxes and custom domains: docs/specification/mailboxes.md. */
import type { Section } from "./Section.js"

export const mailboxes = [
  {
    heading: "GET /v1/mailboxes",
    rows: {
      "mailboxes.list.200": "200 with all mailboxes, each with receivedThisMonth",
      "mailboxes.list.scoped": "A scoped key sees the mailboxes of its scope only",
      "mailboxes.list.401": "401 without a key",
      "mailboxes.list.402": "402 when payment is required",
      "mailboxes.list.403": "403 when the account is suspended",
    },
  },
  {
    heading: "POST /v1/mailboxes",
    rows: {
      "mailboxes.create.201": "201 with the mailbox, ACTIVE, provisioning perhaps pending",
      "mailboxes.create.displayName": "displayName is optional",
      "mailboxes.create.blank-name":
        "displayName loses spaces around it, and a blank one is null, in POST and PATCH",
      "mailboxes.create.400": "400 for an invalid body",
      "mailboxes.create.400-domain":
        "400 'Domain not verified' for a domain of the account that is not VERIFIED",
      "mailboxes.create.401": "401 without a key",
      "mailboxes.create.402": "402 when payment is required",
      "mailboxes.create.403-scoped": "403 for a scoped key",
      "mailboxes.create.403-plan": "403 above the plan's number of mailboxes",
      "mailboxes.create.403-domains": "403 above the plan's number of custom domains",
      "mailboxes.create.404": "404 for a domain that does not exist",
      "mailboxes.create.409": "409 for an address that exists",
    },
  },
  {
    heading: "GET /v1/mailboxes/{id}",
    rows: {
      "mailboxes.get.200": "200 with the mailbox",
      "mailboxes.get.401": "401 without a key",
      "mailboxes.get.402": "402 when payment is required",
      "mailboxes.get.403": "403 when the account is suspended",
      "mailboxes.get.404": "404 for one that does not exist",
      "mailboxes.get.404-scope": "404 for a mailbox out of the key's scope",
    },
  },
  {
    heading: "PATCH /v1/mailboxes/{id}",
    rows: {
      "mailboxes.update.displayName": "200 with the new displayName",
      "mailboxes.update.status": "200 with the new status",
      "mailboxes.update.scoped": "A scoped key may update the mailboxes of its scope",
      "mailboxes.update.400": "400 for an invalid body",
      "mailboxes.update.401": "401 without a key",
      "mailboxes.update.402": "402 when payment is required",
      "mailboxes.update.403": "403 above the plan's limits",
      "mailboxes.update.404": "404 for one that does not exist",
    },
  },
  {
    heading: "Policies",
    rows: {
      "mailboxes.policies.defaults": "A mailbox has the policies open, 72, open, quarantine and no trigger",
      "mailboxes.policies.create": "POST sets policies",
      "mailboxes.policies.change": "PATCH changes the policies that it names",
      "mailboxes.policies.limits": "400 for an unknown value, and for reviewTtlHours outside of 1 to 168",
      "mailboxes.policies.hidden": "A scoped key does not see policies",
      "mailboxes.policies.scoped": "403 for a policy in a PATCH by a scoped key",
    },
  },
  {
    heading: "DELETE /v1/mailboxes/{id}",
    rows: {
      "mailboxes.delete.200": "200; the mailbox and its messages are deleted for good",
      "mailboxes.delete.401": "401 without a key",
      "mailboxes.delete.402": "402 when payment is required",
      "mailboxes.delete.403": "403 for a scoped key, also for a mailbox of its scope",
      "mailboxes.delete.404": "404 for one that does not exist",
    },
  },
  {
    heading: "Custom domains",
    rows: {
      "decisions.domains.list": "GET /v1/domains lists them",
      "decisions.domains.get": "GET /v1/domains/{id} reads one",
      "decisions.domains.create": "POST /v1/domains adds one, pending verification, with its DNS records",
      "decisions.domains.verify": "POST /v1/domains/{id}/verify checks its DNS records",
      "decisions.domains.rotate": "POST /v1/domains/{id}/rotate-dkim creates the next DKIM key",
      "decisions.domains.delete": "DELETE /v1/domains/{id} removes one",
    },
  },
] as const satisfies ReadonlyArray<Section>
