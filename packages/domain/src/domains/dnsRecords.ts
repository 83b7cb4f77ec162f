/** The DNS records that the owner of a custom domain has to publish (spec: decisions.domain.records; docs/decisions/0015). */
import { Schema } from "effect"
import { described } from "../described.js"
import { type DomainRecord, RecordState } from "./Domain.js"

export const DnsRecord = Schema.Struct({
  type: described(Schema.Literal("MX", "TXT"), "the type of the record"),
  host: described(Schema.String, "full name of the record"),
  value: described(Schema.String, "value of the record"),
  priority: Schema.optional(Schema.Int).annotations({ description: "preference of an MX record" }),
  state: described(RecordState, "state at the last check"),
}).annotations({
  identifier: "DnsRecord",
  description: "A DNS record to publish, and its state at the last check",
})
export type DnsRecord = typeof DnsRecord.Type

export const DnsRecords = Schema.Struct({
  mx: described(DnsRecord, "routes mail for the domain to the service"),
  spf: described(DnsRecord, "allows the service to send for the domain"),
  dkim: described(Schema.Array(DnsRecord), "the signing key, then the next key if there is one"),
  dmarc: described(DnsRecord, "recommended, not required"),
}).annotations({
  identifier: "DnsRecords",
  description: "The DNS records that the owner of the domain publishes",
})
export type DnsRecords = typeof DnsRecords.Type

const MX_PRIORITY = 10

/** The MX host for custom domains. */
export const mxHost = (platformDomain: string): string => `mx.${platformDomain}`

/** The name whose SPF record lists the hosts that send for custom domains. */
export const spfHost = (platformDomain: string): string => `spf.${platformDomain}`

/** The name of the public key of a selector (RFC 6376 §3.6.2.1). */
export const dkimHost = (selector: string, domain: string): string => `${selector}._domainkey.${domain}`

/** A key as a TXT record (RFC 6376 §3.6.1). */
export const dkimRecord = (host: string, publicKey: string, state: RecordState): DnsRecord => ({
  type: "TXT",
  host,
  value: `v=DKIM1; k=rsa; p=${publicKey}`,
  state,
})

export const dmarcHost = ({ domain }: Pick<DomainRecord, "domain">): string => `_dmarc.${domain}`

export const dnsRecords = (domain: DomainRecord, platformDomain: string): DnsRecords => ({
  mx: {
    type: "MX",
    host: domain.domain,
    value: mxHost(platformDomain),
    priority: MX_PRIORITY,
    state: domain.mxState,
  },
  spf: {
    type: "TXT",
    host: domain.domain,
    value: `v=spf1 include:${spfHost(platformDomain)} ~all`,
    state: domain.spfState,
  },
  dkim: [
    dkimRecord(dkimHost(domain.dkimSelector, domain.domain), domain.dkimPublicKey, domain.dkimState),
    // Once the next key's record is found, it becomes the first.
    ...(domain.nextDkimSelector === null || domain.nextDkimPublicKey === null
      ? []
      : [dkimRecord(dkimHost(domain.nextDkimSelector, domain.domain), domain.nextDkimPublicKey, "MISSING")]),
  ],
  dmarc: { type: "TXT", host: dmarcHost(domain), value: "v=DMARC1; p=none", state: domain.dmarcState },
})
