/** Custom domains (decisions §2, §4). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { DnsRecords, Domain } from "@mailroom/domain"
import { Schema } from "effect"
import { Conflict } from "../errors.js"
import { domainId } from "../paths.js"
import { DomainsAccess } from "../security.js"

export const CreateDomainBody = Schema.Struct({
  domain: Schema.String.pipe(Schema.maxLength(300)).annotations({
    description: "a domain name of two labels or more, international ones in either form",
    examples: ["agents.acme.dev"],
  }),
}).annotations({ identifier: "CreateDomainBody" })

export const DomainWithRecords = Schema.Struct({ domain: Domain, dnsRecords: DnsRecords }).annotations({
  identifier: "DomainWithRecords",
})

export class DomainsGroup extends HttpApiGroup.make("domains")
  .add(
    HttpApiEndpoint.get("list", "/v1/domains")
      .addSuccess(Schema.Struct({ domains: Schema.Array(Domain) }))
      .middleware(DomainsAccess)
      .annotate(OpenApi.Summary, "The account's domains, oldest first"),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/domains")
      .setPayload(CreateDomainBody)
      .addSuccess(DomainWithRecords, { status: 201 })
      .addError(Conflict)
      .middleware(DomainsAccess)
      .annotate(OpenApi.Summary, "Claim a domain; answers with the DNS records to set"),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/domains/${domainId}`
      .addSuccess(DomainWithRecords)
      .middleware(DomainsAccess)
      .annotate(OpenApi.Summary, "One domain, and what was last found of its DNS records"),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/domains/${domainId}`
      .addSuccess(Schema.Struct({ deleted: Schema.Literal(true) }))
      .addError(Conflict)
      .middleware(DomainsAccess)
      .annotate(OpenApi.Summary, "Give up a domain that no mailbox is on"),
  )
  .add(
    HttpApiEndpoint.post("verify")`/v1/domains/${domainId}/verify`
      .addSuccess(DomainWithRecords)
      .addError(Conflict)
      .middleware(DomainsAccess)
      .annotate(OpenApi.Summary, "Look up the DNS records now, without waiting for the next check"),
  )
  .annotate(OpenApi.Title, "Domains") {}
