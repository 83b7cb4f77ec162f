/** Custom domains (spec: decisions.domain.fields). */
import { Schema } from "effect"
import { described } from "../described.js"
import { AccountId, DomainId } from "../ids.js"
import { Instant, timestamp, Timestamp } from "../time.js"

export const DomainStatus = Schema.Literal("PENDING_VERIFICATION", "VERIFIED", "FAILED").annotations({
  identifier: "DomainStatus",
  description: "Only a VERIFIED domain can have mailboxes",
})
export type DomainStatus = typeof DomainStatus.Type

/** Result of a check of one record: MISSING, INVALID (present, but not as required) or VALID. */
export const RecordState = Schema.Literal("MISSING", "INVALID", "VALID").annotations({
  identifier: "DnsRecordState",
  description: "State of a DNS record at the last check",
})
export type RecordState = typeof RecordState.Type

export const DomainRecord = Schema.Struct({
  id: DomainId,
  accountId: AccountId,
  /** lower-case, international labels as A-labels */
  domain: Schema.String,
  status: DomainStatus,
  /** the name of the key under `_domainkey` */
  dkimSelector: Schema.String,
  /** SubjectPublicKeyInfo in base64, as `p=` carries it (RFC 6376 §3.6.1) */
  dkimPublicKey: Schema.String,
  /** encrypted PKCS #8 in PEM: the private key that signs the domain's mail */
  sealedDkimKey: Schema.String,
  /** the next key, which signs once its record is found; all three are null without one */
  nextDkimSelector: Schema.NullOr(Schema.String),
  nextDkimPublicKey: Schema.NullOr(Schema.String),
  nextSealedDkimKey: Schema.NullOr(Schema.String),
  mxState: RecordState,
  spfState: RecordState,
  dkimState: RecordState,
  dmarcState: RecordState,
  /** since when required records are wrong; null while they are correct */
  wrongSince: Schema.NullOr(Instant),
  /** time of the next background check; null when there are no more checks */
  nextCheckAt: Schema.NullOr(Instant),
  createdAt: Instant,
  updatedAt: Instant,
})
export type DomainRecord = typeof DomainRecord.Type

export type RecordStates = Pick<DomainRecord, "mxState" | "spfState" | "dkimState" | "dmarcState">

export const Domain = Schema.Struct({
  id: described(DomainId, "id of the domain"),
  domain: described(Schema.String, "the domain name, lower-case, international labels as A-labels"),
  status: described(
    DomainStatus,
    "VERIFIED when MX, SPF and DKIM are VALID; FAILED when they were not in time",
  ),
  mxVerified: described(Schema.Boolean, "whether the MX record is VALID"),
  spfVerified: described(Schema.Boolean, "whether the SPF record is VALID"),
  dkimVerified: described(Schema.Boolean, "whether the DKIM record is VALID"),
  dmarcVerified: described(Schema.Boolean, "whether the DMARC record is VALID; recommended, not required"),
  createdAt: described(Timestamp, "time of creation"),
  updatedAt: described(Timestamp, "time of the last change of status or records"),
}).annotations({ identifier: "Domain", description: "A custom domain" })
export type Domain = typeof Domain.Type

export const viewDomain = (domain: DomainRecord): Domain => ({
  id: domain.id,
  domain: domain.domain,
  status: domain.status,
  mxVerified: domain.mxState === "VALID",
  spfVerified: domain.spfState === "VALID",
  dkimVerified: domain.dkimState === "VALID",
  dmarcVerified: domain.dmarcState === "VALID",
  createdAt: timestamp(domain.createdAt),
  updatedAt: timestamp(domain.updatedAt),
})
