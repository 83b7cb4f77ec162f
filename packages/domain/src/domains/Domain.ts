/** Custom domains (spec, Domain status; decisions §2). */
import { Schema } from "effect"
import { AccountId, DomainId } from "../ids.js"
import { Instant } from "../time.js"

export const DomainStatus = Schema.Literal("PENDING_VERIFICATION", "VERIFIED", "FAILED").annotations({
  identifier: "DomainStatus",
  description: "Only a VERIFIED domain can have mailboxes",
})
export type DomainStatus = typeof DomainStatus.Type

export const DomainRecord = Schema.Struct({
  id: DomainId,
  accountId: AccountId,
  domain: Schema.String,
  status: DomainStatus,
  createdAt: Instant,
  updatedAt: Instant,
})
export type DomainRecord = typeof DomainRecord.Type
