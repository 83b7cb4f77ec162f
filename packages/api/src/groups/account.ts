/** The account, its keys and its plan (spec, Signup and account, API keys, billing). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  Account,
  ApiKey,
  BillingPeriodInput,
  MailboxId,
  PaidPlanInput,
  PlanInput,
  Subject,
  SUPPORT_MESSAGE_MAX_LENGTH,
  VerifiedTarget,
  withoutNul,
  described,
} from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { BodyLimit, paymentEventBody } from "../bodyLimit.js"
import { Conflict, TooManyRequests, Unavailable } from "../errors.js"
import { keyId } from "../paths.js"
import { IgnoresUnknown } from "../requestInput.js"
import {
  AccountAccess,
  BillingAccess,
  CreateKeyAccess,
  OwnerAccess,
  RevokeKeyAccess,
  WelcomeAccess,
} from "../security.js"
import { Ok } from "./signup.js"

export const DeleteAccountBody = Schema.Struct({
  confirm: described(Schema.Literal("DELETE"), "this very word, in capitals"),
}).annotations({ identifier: "DeleteAccountBody", description: "The word that confirms it" })

const OneAccount = Schema.Struct({ account: described(Account, "the account") })

export const SupportBody = Schema.Struct({
  subject: described(Subject, "what it is about, on one line"),
  message: described(
    Schema.String.pipe(Schema.minLength(1), Schema.maxLength(SUPPORT_MESSAGE_MAX_LENGTH), withoutNul),
    "the text, at most 20,000 characters",
  ),
}).annotations({ identifier: "SupportBody", description: "What the operator is asked" })

export class AccountGroup extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("get", "/v1/account")
      .annotate(IgnoresUnknown, true)
      .addSuccess(OneAccount)
      .middleware(AccountAccess)
      .annotate(OpenApi.Summary, "Plan, usage and limits of the account")
      .annotate(
        OpenApi.Description,
        "The plan, what it allows and what is used: storage, mailboxes, sends, the inbound quota and the trial. Also works while payment is required or the account is suspended, and says so in `state`.",
      ),
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/account")
      .setPayload(DeleteAccountBody)
      .addSuccess(Deleted)
      .middleware(AccountAccess)
      .annotate(OpenApi.Summary, "Delete the account and everything in it, for good")
      .annotate(
        OpenApi.Description,
        "Mailboxes, messages, attachments, keys, webhooks: at once nobody can reach them, and what is stored goes in the background. Event streams end, a subscription is cancelled. The slug and the email stay reserved for 30 days.",
      ),
  )
  .add(
    HttpApiEndpoint.post("welcome", "/v1/account/welcome")
      .addSuccess(Ok)
      .middleware(WelcomeAccess)
      .annotate(OpenApi.Summary, "Send the owner the welcome mail; once, however often it is asked")
      .annotate(OpenApi.Description, "Answers without waiting for the mail to be sent."),
  )
  .add(
    HttpApiEndpoint.post("postVerifyTarget", "/v1/account/post-verify-target")
      .addSuccess(Schema.Struct({ target: described(VerifiedTarget, "a path of the dashboard") }))
      .middleware(BillingAccess)
      .annotate(OpenApi.Summary, "Where the dashboard goes after verification")
      .annotate(
        OpenApi.Description,
        "For the first call after verification with a plan in mind, or as long as no key was used, to the onboarding; else to the dashboard. Settles what the signup meant to buy, and sends the welcome mail.",
      ),
  )
  .add(
    HttpApiEndpoint.post("support", "/v1/support")
      .setPayload(SupportBody)
      .addSuccess(Ok)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(AccountAccess)
      .annotate(OpenApi.Summary, "Ask the operator of the service for help")
      .annotate(
        OpenApi.Description,
        "Mails the operator, who answers to the account's owner. Also works while payment is required or the account is suspended. At most ten an hour. 404 where the operator takes no requests.",
      ),
  )
  .annotate(OpenApi.Title, "Account")
  .annotate(OpenApi.Description, "The account: its plan, usage and owner.") {}

export const CreateKeyBody = Schema.Struct({
  name: described(
    Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200), withoutNul),
    "a name to know it by",
  ),
  mailboxIds: Schema.optional(
    Schema.Array(MailboxId).pipe(Schema.minItems(1), Schema.maxItems(200)),
  ).annotations({
    description: "makes a key for these mailboxes only; leave out for full access",
  }),
}).annotations({ identifier: "CreateKeyBody", description: "A key to make" })

export const CreatedKey = Schema.Struct({
  id: ApiKey.fields.id,
  name: described(Schema.String, "the name it was given"),
  key: described(Schema.String, "shown once"),
  prefix: described(Schema.String, "the first 11 characters of the key"),
  scoped: described(Schema.Boolean, "whether it reaches some mailboxes only"),
  mailboxIds: Schema.optional(Schema.Array(MailboxId)).annotations({
    description: "the mailboxes it reaches; absent for full access",
  }),
}).annotations({ identifier: "CreatedKey", description: "The new key" })

export class KeysGroup extends HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.get("list", "/v1/api-keys")
      .annotate(IgnoresUnknown, true)
      .addSuccess(Schema.Struct({ keys: described(Schema.Array(ApiKey), "the keys") }))
      .middleware(AccountAccess)
      .annotate(OpenApi.Summary, "All keys, without their values")
      .annotate(
        OpenApi.Description,
        "Newest first, revoked ones included. A key is shown by its first characters only; its value cannot be read again.",
      ),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/api-keys")
      .setPayload(CreateKeyBody)
      .addSuccess(CreatedKey, { status: 201 })
      .middleware(CreateKeyAccess)
      .annotate(OpenApi.Summary, "Make a key")
      .annotate(
        OpenApi.Description,
        "With `mailboxIds` the key reaches these mailboxes and nothing else; without, it has full access. The value is in this answer and nowhere else. With a session cookie instead of a key this is how a lost key is replaced.",
      ),
  )
  .add(
    HttpApiEndpoint.del("revoke")`/v1/api-keys/${keyId}`
      .addSuccess(Schema.Struct({ revoked: described(Schema.Literal(true), "always true") }))
      .middleware(RevokeKeyAccess)
      .annotate(OpenApi.Summary, "Revoke a key at once")
      .annotate(
        OpenApi.Description,
        "From now on the key answers 401, and event streams it opened end. A scoped key may revoke itself. The only active full-access key of an account in good standing cannot be revoked by a key.",
      ),
  )
  .annotate(OpenApi.Title, "API keys")
  .annotate(OpenApi.Description, "Keys with full access, or restricted to mailboxes.") {}

export const UpgradeBody = Schema.Struct({
  plan: Schema.optional(PaidPlanInput).annotations({ description: "default Developer" }),
  period: Schema.optional(BillingPeriodInput).annotations({ description: "default monthly" }),
}).annotations({ identifier: "UpgradeBody", description: "What to buy" })

export const CheckoutLink = Schema.Struct({
  checkout_url: described(Schema.String, "where the owner pays: a page for a browser"),
  expires_at: described(Schema.Int, "Unix time in seconds"),
  message: described(Schema.String, "what to tell the owner"),
}).annotations({ identifier: "CheckoutLink", description: "Where the owner pays" })

export const ChangePlanBody = Schema.Struct({
  plan: described(PlanInput, "Free gives the paid plan up"),
  period: Schema.optional(BillingPeriodInput).annotations({ description: "default the period it has" }),
}).annotations({ identifier: "ChangePlanBody", description: "The plan to move to" })

export class BillingGroup extends HttpApiGroup.make("billing")
  .add(
    HttpApiEndpoint.post("upgrade", "/v1/billing/upgrade")
      // The specification's request has no body at all.
      .setPayload(Schema.NullOr(UpgradeBody))
      .addSuccess(CheckoutLink, { status: 201 })
      .addError(Conflict)
      .middleware(BillingAccess)
      .annotate(OpenApi.Summary, "A checkout link for the account's owner")
      .annotate(
        OpenApi.Description,
        "Hand `checkout_url` to a person: paying there lifts the plan's limits and shows gated messages at once. The link works once, for 24 hours. While it has 12 of them left, asking again for the same plan and period gives the same link.",
      ),
  )
  .add(
    HttpApiEndpoint.post("changePlan", "/v1/billing/change-plan")
      .setPayload(ChangePlanBody)
      .addSuccess(OneAccount)
      .addError(Conflict)
      .middleware(OwnerAccess)
      .annotate(OpenApi.Summary, "Move to another plan or period, at once")
      .annotate(
        OpenApi.Description,
        "For the owner, signed in. Free gives the paid plan up. Mailboxes that no longer fit are paused, and run again when they fit. Annual falls back to monthly where a plan has no annual price.",
      ),
  )
  .add(
    HttpApiEndpoint.post("portal", "/v1/billing/portal")
      .addSuccess(Schema.Struct({ url: described(Schema.String, "the page, for a browser") }))
      .addError(Conflict)
      .middleware(OwnerAccess)
      .annotate(OpenApi.Summary, "The page for invoices and payment details")
      .annotate(OpenApi.Description, "For the owner, signed in: a link to the payment provider's own page."),
  )
  .add(
    HttpApiEndpoint.post("stripeWebhook", "/v1/billing/stripe/webhook")
      .setPayload(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
      .addSuccess(Schema.Struct({ received: Schema.Literal(true) }))
      .annotate(BodyLimit, paymentEventBody)
      .annotate(OpenApi.Summary, "Where Stripe sends its events; only under BILLING=stripe")
      .annotate(
        OpenApi.Description,
        "Needs no key: each event proves itself by its `Stripe-Signature` header.",
      )
      // Nobody's but Stripe's, and an unknown path elsewhere.
      .annotate(OpenApi.Exclude, true),
  )
  .annotate(OpenApi.Title, "Billing")
  .annotate(OpenApi.Description, "Buying and changing a plan.") {}
