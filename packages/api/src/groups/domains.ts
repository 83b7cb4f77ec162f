/** Custom domains (docs/specification/mailboxes.md). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { DnsRecords, Domain, described } from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { Conflict } from "../errors.js"
import { domainId } from "../paths.js"
import { DomainsAccess, Needs } from "../security.js"

export const CreateDomainBody = Schema.Struct({
  domain: Schema.String.pipe(Schema.maxLength(300)).annotations({
    description: "a domain name of two labels or more, international ones in either form",
    examples: ["agents.acme.dev"],
  }),
}).annotations({ identifier: "CreateDomainBody", description: "The domain to claim" })

export const DomainWithRecords = Schema.Struct({
  domain: described(Domain, "the domain"),
  dnsRecords: described(DnsRecords, "the DNS records to publish, and their state"),
}).annotations({
  identifier: "DomainWithRecords",
  description: "A domain with its DNS records",
})

export const CheckedDomain = Schema.Struct({
  ...DomainWithRecords.fields,
  verification: described(
    Schema.Struct({
      allVerified: described(
        Schema.Boolean,
        "whether MX, SPF and DKIM are VALID, so that the domain can have mailboxes; DMARC is recommended",
      ),
    }),
    "result of the check",
  ),
}).annotations({ identifier: "CheckedDomain", description: "A domain after a check" })

export class DomainsGroup extends HttpApiGroup.make("domains")
  .add(
    HttpApiEndpoint.get("list", "/v1/domains")
      .addSuccess(Schema.Struct({ domains: described(Schema.Array(Domain), "the domains") }))
      .middleware(DomainsAccess)
      .annotate(Needs, ["read", "manage"])
      .annotate(OpenApi.Summary, "List the domains of the account, oldest first")
      .annotate(
        OpenApi.Description,
        "Shows the state of the DNS records at the last check. Only a VERIFIED domain can have mailboxes.",
      ),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/domains")
      .setPayload(CreateDomainBody)
      .addSuccess(DomainWithRecords, { status: 201 })
      .addError(Conflict)
      .middleware(DomainsAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Add a domain; returns the DNS records to publish")
      .annotate(
        OpenApi.Description,
        "Publish the records at your DNS provider; the service checks them every five minutes for three days. The DKIM record proves that you own the domain: several accounts may add it, and it belongs to the account whose records are found.",
      ),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/domains/${domainId}`
      .addSuccess(DomainWithRecords)
      .middleware(DomainsAccess)
      .annotate(Needs, ["read", "manage"])
      .annotate(OpenApi.Summary, "Get a domain and its DNS records")
      .annotate(
        OpenApi.Description,
        "Shows the required value of each record, and whether it is MISSING, INVALID or VALID. MX, SPF and DKIM must be VALID; DMARC is recommended.",
      ),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/domains/${domainId}`
      .addSuccess(Deleted)
      .addError(Conflict)
      .middleware(DomainsAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Remove a domain without mailboxes")
      .annotate(
        OpenApi.Description,
        "Refused while mailboxes use the domain. If it is added again, it gets new records.",
      ),
  )
  .add(
    HttpApiEndpoint.post("verify")`/v1/domains/${domainId}/verify`
      .addSuccess(CheckedDomain)
      .addError(Conflict)
      .middleware(DomainsAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Check the DNS records now")
      .annotate(
        OpenApi.Description,
        "Returns the result of the check. 503 when a name server does not answer; nothing is changed then.",
      ),
  )
  .add(
    HttpApiEndpoint.post("rotateDkim")`/v1/domains/${domainId}/rotate-dkim`
      .addSuccess(DomainWithRecords)
      .middleware(DomainsAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Create the next DKIM key")
      .annotate(
        OpenApi.Description,
        "`dnsRecords.dkim` then has two records: publish the second. Once it is found, the new key signs the domain's mail. Keep the first record for a week, for mail that is still on its way. Repeated calls return the same key until then.",
      ),
  )
  .annotate(OpenApi.Title, "Domains")
  .annotate(OpenApi.Description, "Custom domains for mailboxes.") {}
