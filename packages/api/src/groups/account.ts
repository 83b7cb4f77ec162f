/** The account, its keys and its plan (spec, Signup and account, API keys, billing). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Account, ApiKey, BillingPeriod, MailboxId, PaidPlan, VerifiedTarget } from "@mailroom/domain"
import { Schema } from "effect"
import { Conflict } from "../errors.js"
import { keyId } from "../paths.js"
import { AccountAccess, BillingAccess, CreateKeyAccess, RevokeKeyAccess, WelcomeAccess } from "../security.js"
import { Ok } from "./signup.js"

export const DeleteAccountBody = Schema.Struct({
  confirm: Schema.Literal("DELETE").annotations({ description: "this very word, in capitals" }),
}).annotations({ identifier: "DeleteAccountBody" })

export class AccountGroup extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("get", "/v1/account")
      .addSuccess(Schema.Struct({ account: Account }))
      .middleware(AccountAccess)
      .annotate(OpenApi.Summary, "Plan, usage and limits of the account"),
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/account")
      .setPayload(DeleteAccountBody)
      .addSuccess(Schema.Struct({ deleted: Schema.Literal(true) }))
      .middleware(AccountAccess)
      .annotate(OpenApi.Summary, "Delete the account and everything in it, for good"),
  )
  .add(
    HttpApiEndpoint.post("welcome", "/v1/account/welcome")
      .addSuccess(Ok)
      .middleware(WelcomeAccess)
      .annotate(OpenApi.Summary, "Send the owner the welcome mail; once, however often it is asked"),
  )
  .add(
    HttpApiEndpoint.post("postVerifyTarget", "/v1/account/post-verify-target")
      .addSuccess(Schema.Struct({ target: VerifiedTarget }))
      .middleware(BillingAccess)
      .annotate(OpenApi.Summary, "Where the dashboard goes after verification"),
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
  .annotate(OpenApi.Title, "Billing") {}
