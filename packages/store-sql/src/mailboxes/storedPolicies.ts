/**
 * The column of a mailbox's policies: JSON text, or NULL for the defaults. A field that is absent has its default, so that
 * a version with more fields reads what this version stored.
 */
import { changePolicies, defaultPolicies, MailboxPolicies, policyFields } from "@mailroom/domain"
import { Schema } from "effect"
import { JsonText } from "../database/columns.js"

const same = Schema.equivalence(MailboxPolicies)

export const StoredPolicies = Schema.transform(
  Schema.NullOr(JsonText(Schema.Struct(policyFields))),
  Schema.typeSchema(MailboxPolicies),
  {
    strict: true,
    decode: (stored) => (stored === null ? defaultPolicies : changePolicies(defaultPolicies, stored)),
    encode: (policies) => (same(policies, defaultPolicies) ? null : policies),
  },
)
