/** Custom domains (decisions §2, §4). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { DnsRecords, Domain, described } from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { Conflict } from "../errors.js"
import { domainId } from "../paths.js"
import { DomainsAccess } from "../security.js"

export const CreateDomainBody = Schema.Struct({
  domain: Schema.String.pipe(Schema.maxLength(300)).annotations({
    description: "a domain name of two labels or more, international ones in either form",
    examples: ["agents.acme.dev"],
  }),
}).annotations({ identifier: "CreateDomainBody", description: "The domain to claim" })

export const DomainWithRecords = Schema.Struct({
  domain: described(Domain, "the domain"),
  dnsRecords: described(DnsRecords, "the records to set, and what was found of them"),
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
        "whether MX, SPF and DKIM are VALID: the domain can have mailboxes. DMARC is recommended",
      ),
    }),
    "what the look-up came to",
  ),
}).annotations({ identifier: "CheckedDomain", description: "A domain, as a look-up just found it" })

export class DomainsGroup extends HttpApiGroup.make("domains")
  .add(
    HttpApiEndpoint.get("list", "/v1/domains")
      .addSuccess(Schema.Struct({ domains: described(Schema.Array(Domain), "the domains") }))
      .middleware(DomainsAccess)
      .annotate(OpenApi.Summary, "The account's domains, oldest first")
      .annotate(
        OpenApi.Description,
        "With what was last found of their DNS records. Only a VERIFIED domain can have mailboxes.",
      ),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/domains")
      .setPayload(CreateDomainBody)
      .addSuccess(DomainWithRecords, { status: 201 })
      .addError(Conflict)
      .middleware(DomainsAccess)
      .annotate(OpenApi.Summary, "Claim a domain; answers with the DNS records to set")
      .annotate(
        OpenApi.Description,
        "Set the records with your DNS provider; they are looked up every five minutes, for three days. The DKIM record proves that the domain is yours: others may claim it too, and it is whose records are found.",
      ),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/domains/${domainId}`
      .addSuccess(DomainWithRecords)
      .middleware(DomainsAccess)
      .annotate(OpenApi.Summary, "One domain, and what was last found of its DNS records")
      .annotate(
        OpenApi.Description,
        "Each record says what it should be and whether it is MISSING, INVALID or VALID. MX, SPF and DKIM have to be VALID; DMARC is recommended.",
      ),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/domains/${domainId}`
      .addSuccess(Deleted)
      .addError(Conflict)
      .middleware(DomainsAccess)
      .annotate(OpenApi.Summary, "Give up a domain that no mailbox is on")
      .annotate(
        OpenApi.Description,
        "Refused while mailboxes have their addresses there. Claimed again, it gets new records.",
      ),
  )
  .add(
    HttpApiEndpoint.post("verify")`/v1/domains/${domainId}/verify`
      .addSuccess(CheckedDomain)
      .addError(Conflict)
      .middleware(DomainsAccess)
      .annotate(OpenApi.Summary, "Look up the DNS records now, without waiting for the next check")
      .annotate(
        OpenApi.Description,
        "Answers with what was found. 503 when a name server does not answer: that changes nothing.",
      ),
  )
  .add(
    HttpApiEndpoint.post("rotateDkim")`/v1/domains/${domainId}/rotate-dkim`
      .addSuccess(DomainWithRecords)
      .middleware(DomainsAccess)
      .annotate(OpenApi.Summary, "Make the DKIM key that is to follow the one there is")
      .annotate(
        OpenApi.Description,
        "`dnsRecords.dkim` has two records then: publish the second. As soon as it is found, the domain's mail is signed with it; leave the first in DNS for a week, for mail that is still on its way. Asked again meanwhile, it answers with the same key.",
      ),
  )
  .annotate(OpenApi.Title, "Domains")
  .annotate(OpenApi.Description, "Domains of your own to have mailboxes on.") {}
