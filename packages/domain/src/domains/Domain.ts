/** Custom domains (spec, Domain status; decisions §2). */
import { Schema } from "effect"
import { described } from "../described.js"
import { AccountId, DomainId } from "../ids.js"
import { Instant, timestamp, Timestamp } from "../time.js"

export const DomainStatus = Schema.Literal("PENDING_VERIFICATION", "VERIFIED", "FAILED").annotations({
  identifier: "DomainStatus",
  description: "Only a VERIFIED domain can have mailboxes",
})
export type DomainStatus = typeof DomainStatus.Type

/** What a check found of one record: nothing of its kind, something that will not do, or what is asked for. */
export const RecordState = Schema.Literal("MISSING", "INVALID", "VALID").annotations({
  identifier: "DnsRecordState",
  description: "What DNS had when it was last asked",
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
  /** encrypted PKCS #8, in PEM: what the domain's mail is signed with */
  sealedDkimKey: Schema.String,
  /** the key that will sign once its record is found; all three null when there is none */
  nextDkimSelector: Schema.NullOr(Schema.String),
  nextDkimPublicKey: Schema.NullOr(Schema.String),
  nextSealedDkimKey: Schema.NullOr(Schema.String),
  mxState: RecordState,
  spfState: RecordState,
  dkimState: RecordState,
  dmarcState: RecordState,
  /** since when it is not as a VERIFIED domain must be; null while it is */
  wrongSince: Schema.NullOr(Instant),
  /** when the next background check is due; null when there is none any more */
  nextCheckAt: Schema.NullOr(Instant),
  createdAt: Instant,
  updatedAt: Instant,
})
export type DomainRecord = typeof DomainRecord.Type

export type RecordStates = Pick<DomainRecord, "mxState" | "spfState" | "dkimState" | "dmarcState">

export const Domain = Schema.Struct({
  id: described(DomainId, "id of the domain"),
  domain: described(Schema.String, "lower-case, international labels as A-labels"),
  status: described(
    DomainStatus,
    "PENDING_VERIFICATION until MX, SPF and DKIM are found; FAILED when they were not in time",
  ),
  mxVerified: described(Schema.Boolean, "whether its MX record was found as it has to be"),
  spfVerified: described(Schema.Boolean, "whether its SPF record was found as it has to be"),
  dkimVerified: described(Schema.Boolean, "whether its DKIM record was found as it has to be"),
  dmarcVerified: described(Schema.Boolean, "recommended, not required"),
  createdAt: described(Timestamp, "when it was claimed"),
  updatedAt: described(Timestamp, "when what is known of it last changed"),
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
