/** The account, its keys and its plan (spec, Signup and account, API keys, billing). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Account, ApiKey, BillingPeriod, MailboxId, PaidPlan, Plan } from "@mailroom/domain"
import { Schema } from "effect"
import { Conflict } from "../errors.js"
import { keyId } from "../paths.js"
import { AccountAccess, BillingAccess, CreateKeyAccess, OwnerAccess, RevokeKeyAccess } from "../security.js"

export class AccountGroup extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("get", "/v1/account")
      .addSuccess(Schema.Struct({ account: Account }))
      .middleware(AccountAccess)
      .annotate(OpenApi.Summary, "Plan, usage and limits of the account"),
  )
  .annotate(OpenApi.Title, "Account") {}

export const CreateKeyBody = Schema.Struct({
  name: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200)),
  mailboxIds: Schema.optional(
    Schema.Array(MailboxId).pipe(Schema.minItems(1), Schema.maxItems(200)),
  ).annotations({
    description: "makes a key for these mailboxes only; leave out for full access",
  }),
}).annotations({ identifier: "CreateKeyBody" })

export const CreatedKey = Schema.Struct({
  id: ApiKey.fields.id,
  name: Schema.String,
  key: Schema.String.annotations({ description: "shown once" }),
  prefix: Schema.String,
  scoped: Schema.Boolean,
  mailboxIds: Schema.optional(Schema.Array(MailboxId)),
}).annotations({ identifier: "CreatedKey" })

export class KeysGroup extends HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.get("list", "/v1/api-keys")
      .addSuccess(Schema.Struct({ keys: Schema.Array(ApiKey) }))
      .middleware(AccountAccess)
      .annotate(OpenApi.Summary, "All keys, without their values"),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/api-keys")
      .setPayload(CreateKeyBody)
      .addSuccess(CreatedKey, { status: 201 })
      .middleware(CreateKeyAccess)
      .annotate(OpenApi.Summary, "Make a key"),
  )
  .add(
    HttpApiEndpoint.del("revoke")`/v1/api-keys/${keyId}`
      .addSuccess(Schema.Struct({ revoked: Schema.Literal(true) }))
      .middleware(RevokeKeyAccess)
      .annotate(OpenApi.Summary, "Revoke a key at once"),
  )
  .annotate(OpenApi.Title, "API keys") {}

export const UpgradeBody = Schema.Struct({
  plan: Schema.optional(PaidPlan).annotations({ description: "default Developer" }),
  period: Schema.optional(BillingPeriod).annotations({ description: "default monthly" }),
}).annotations({ identifier: "UpgradeBody" })

export const CheckoutLink = Schema.Struct({
  checkout_url: Schema.String,
  expires_at: Schema.Int.annotations({ description: "Unix time in seconds" }),
  message: Schema.String,
}).annotations({ identifier: "CheckoutLink" })

export const ChangePlanBody = Schema.Struct({
  plan: Plan.annotations({ description: "Free gives the paid plan up" }),
  period: Schema.optional(BillingPeriod).annotations({ description: "default the period it has" }),
}).annotations({ identifier: "ChangePlanBody" })

export class BillingGroup extends HttpApiGroup.make("billing")
  .add(
    HttpApiEndpoint.post("upgrade", "/v1/billing/upgrade")
      // The specification's request has no body at all.
      .setPayload(Schema.NullOr(UpgradeBody))
      .addSuccess(CheckoutLink, { status: 201 })
      .addError(Conflict)
      .middleware(BillingAccess)
      .annotate(OpenApi.Summary, "A checkout link for the account's owner"),
  )
  .add(
    HttpApiEndpoint.post("changePlan", "/v1/billing/change-plan")
      .setPayload(ChangePlanBody)
      .addSuccess(Schema.Struct({ account: Account }))
      .addError(Conflict)
      .middleware(OwnerAccess)
      .annotate(OpenApi.Summary, "Move to another plan or period, at once"),
  )
  .add(
    HttpApiEndpoint.post("portal", "/v1/billing/portal")
      .addSuccess(Schema.Struct({ url: Schema.String }))
      .addError(Conflict)
      .middleware(OwnerAccess)
      .annotate(OpenApi.Summary, "The page for invoices and payment details"),
  )
  .add(
    HttpApiEndpoint.post("stripeWebhook", "/v1/billing/stripe/webhook")
      .setPayload(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
      .addSuccess(Schema.Struct({ received: Schema.Literal(true) }))
      .annotate(OpenApi.Summary, "Where Stripe sends its events; only under BILLING=stripe")
      .annotate(OpenApi.Description, "Public: each event proves itself with its `Stripe-Signature` header"),
  )
  .annotate(OpenApi.Title, "Billing") {}
