/** spec, conventions and "What the service does". */
import type { Section } from "./Section.js"

export const service = [
  {
    where: "Conventions",
    rows: {
      "conventions.second-address": "The API answers the same at a second address",
      "conventions.json": "Bodies are JSON, and say so",
      "conventions.camel": "Fields of answers are camelCase",
      "conventions.snake-events": "Fields of event payloads are snake_case",
      "conventions.snake-signup": "The answers to signup and upgrade are snake_case",
      "conventions.header-prefix": "The service's own headers begin with X-Service-",
    },
  },
  {
    where: "What the service does",
    rows: {
      "service.1": "An agent signs up without credentials and gets a first key",
      "service.2": "An agent makes mailboxes on the platform domain",
      "service.2-domain": "An agent makes mailboxes on its own verified domain",
      "service.3": "A send is answered when it is done, and inReplyTo continues a conversation",
      "service.4": "An agent reads messages, threads and attachments",
      "service.5-webhooks": "Inbound mail comes through signed webhooks",
      "service.5-stream": "Inbound mail comes through the event stream",
      "service.6": "Keys have full access, or are for listed mailboxes",
      "service.7-domains": "An agent manages custom domains",
      "service.7-suppressions": "An agent manages the addresses that must not be written to",
      "service.8": "An agent asks for a checkout link, which lifts the limits",
    },
  },
  {
    where: "What the service does, behaviours",
    rows: {
      "service.unknown-path":
        "A path that does not exist is a JSON 404 with error, code, message and resolution",
      "service.provisioning":
        "Mailboxes are provisioned after the answer; mailServerProvisioned says when it is done",
      "service.provisioning-status": "status does not tell of provisioning: it is ACTIVE from the start",
      "service.default-mailbox": "A new account has an ACTIVE mailbox on the platform domain",
      "service.default-key": "A new account has a key, and its value is shown once",
      "service.plans": "The plans are Free, Developer, Growth and Scale",
      "service.trial": "A trial without a card begins when the owner verifies the address",
      "service.address": "A mailbox's address is {address}@{slug}.{platform_domain}",
      "service.slug": "The slug is the permanent subdomain: nothing changes it",
    },
  },
] as const satisfies ReadonlyArray<Section>
