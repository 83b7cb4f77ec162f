/** The account, its keys and its billing. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  atMostCharacters,
  Account,
  ApiKey,
  BillingPeriodInput,
  MailboxId,
  PaidPlanInput,
  Permission,
  PlanInput,
  Subject,
  SUPPORT_MESSAGE_MAX_LENGTH,
  VerifiedTarget,
  WantedPermissions,
  Whoami,
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
  Needs,
  OwnerAccess,
  RevokeKeyAccess,
  WelcomeAccess,
  WhoamiAccess,
} from "../security.js"
import { Ok } from "./signup.js"

export const DeleteAccountBody = Schema.Struct({
  confirm: described(Schema.Literal("DELETE"), "the word DELETE, in capitals"),
}).annotations({ identifier: "DeleteAccountBody", description: "The confirmation of the deletion" })

export const UpdateAccountBody = Schema.Struct({
  sendingPaused: Schema.optional(Schema.Boolean).annotations({
    description: "true pauses all sends, false resumes them",
  }),
}).annotations({ identifier: "UpdateAccountBody", description: "Changes of the account; absent fields stay" })

const OneAccount = Schema.Struct({ account: described(Account, "the account") })

export const SupportBody = Schema.Struct({
  subject: described(Subject, "the subject, on one line"),
  message: described(
    Schema.String.pipe(Schema.minLength(1), atMostCharacters(SUPPORT_MESSAGE_MAX_LENGTH), withoutNul),
    "the text, at most 20,000 characters",
  ),
}).annotations({ identifier: "SupportBody", description: "A request for support" })

export class AccountGroup extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("get", "/v1/account")
      .annotate(IgnoresUnknown, true)
      .addSuccess(OneAccount)
      .middleware(AccountAccess)
      .annotate(Needs, ["read", "manage"])
      .annotate(OpenApi.Summary, "Plan, usage and limits of the account")
      .annotate(
        OpenApi.Description,
        "Returns the plan with its limits and the usage: storage, mailboxes, sends, inbound quota and trial. Also works while payment is required or the account is suspended; `state` shows it.",
      ),
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/account")
      .setPayload(UpdateAccountBody)
      .addSuccess(OneAccount)
      .middleware(AccountAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Stop all sends of the account, or resume them")
      .annotate(
        OpenApi.Description,
        "While `sendingPaused` is true, every send responds with 403 `SENDING_PAUSED`. Scheduled mails wait, and are sent when sending resumes.",
      ),
  )
  .add(
    HttpApiEndpoint.get("whoami", "/v1/whoami")
      .annotate(IgnoresUnknown, true)
      .addSuccess(Whoami)
      .middleware(WhoamiAccess)
      .annotate(Needs, [])
      .annotate(OpenApi.Summary, "Who the caller is: key or session, its mailboxes and its account")
      .annotate(
        OpenApi.Description,
        "Also answers a scoped key, and while payment is required or the account is suspended.",
      ),
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/account")
      .setPayload(DeleteAccountBody)
      .addSuccess(Deleted)
      .middleware(AccountAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Delete the account and all its data for good")
      .annotate(
        OpenApi.Description,
        "Mailboxes, messages, attachments, keys and webhooks are unavailable at once, and deleted in the background. Event streams end, and a subscription is cancelled. The slug and the email stay reserved for 30 days.",
      ),
  )
  .add(
    HttpApiEndpoint.post("welcome", "/v1/account/welcome")
      .addSuccess(Ok)
      .middleware(WelcomeAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Send the owner the welcome mail, once")
      .annotate(OpenApi.Description, "Responds before the mail is sent. Repeated calls send one mail."),
  )
  .add(
    HttpApiEndpoint.post("postVerifyTarget", "/v1/account/post-verify-target")
      .addSuccess(Schema.Struct({ target: described(VerifiedTarget, "a path of the dashboard") }))
      .middleware(BillingAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Get the page that follows verification")
      .annotate(
        OpenApi.Description,
        "Returns the onboarding for the first call after verification if the signup named a plan to buy or no key was used, else the dashboard. Corrects or clears an intent that cannot be bought, and sends the welcome mail.",
      ),
  )
  .add(
    HttpApiEndpoint.post("support", "/v1/support")
      .setPayload(SupportBody)
      .addSuccess(Ok)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(AccountAccess)
      .annotate(Needs, ["send", "manage"])
      .annotate(OpenApi.Summary, "Ask the operator of the service for help")
      .annotate(
        OpenApi.Description,
        "Mails the operator, who replies to the owner. Also works while payment is required or the account is suspended. At most ten requests an hour. 404 where the operator accepts no requests.",
      ),
  )
  .annotate(OpenApi.Title, "Account")
  .annotate(OpenApi.Description, "The account: its plan, usage and owner.") {}

export const CreateKeyBody = Schema.Struct({
  name: described(
    Schema.String.pipe(Schema.minLength(1), atMostCharacters(200), withoutNul),
    "label of the key",
  ),
  mailboxIds: Schema.optional(
    Schema.Array(MailboxId).pipe(Schema.minItems(1), Schema.maxItems(200)),
  ).annotations({
    description: "mailboxes in the scope of the key; without them it has full access",
  }),
  permissions: Schema.optional(WantedPermissions).annotations({
    description:
      "what the key may do, or a preset. Default: everything with full access; `read`, `send` and `draft` with `mailboxIds`",
  }),
}).annotations({ identifier: "CreateKeyBody", description: "A key to create" })

export const CreatedKey = Schema.Struct({
  id: ApiKey.fields.id,
  name: described(Schema.String, "name of the key"),
  key: described(Schema.String, "the key; this response alone shows it"),
  prefix: described(Schema.String, "the first 11 characters of the key"),
  scoped: described(Schema.Boolean, "whether it is restricted to mailboxes"),
  mailboxIds: Schema.optional(Schema.Array(MailboxId)).annotations({
    description: "mailboxes in its scope; absent for full access",
  }),
  permissions: described(Schema.Array(Permission), "what it may do"),
}).annotations({ identifier: "CreatedKey", description: "The new key" })

export class KeysGroup extends HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.get("list", "/v1/api-keys")
      .annotate(IgnoresUnknown, true)
      .addSuccess(Schema.Struct({ keys: described(Schema.Array(ApiKey), "the keys") }))
      .middleware(AccountAccess)
      .annotate(Needs, ["read", "manage"])
      .annotate(OpenApi.Summary, "List all keys")
      .annotate(
        OpenApi.Description,
        "The active keys, newest first, then those that were revoked in the last 400 days; 1,000 at most. Shows the prefix of each key; its value cannot be read again.",
      ),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/api-keys")
      .setPayload(CreateKeyBody)
      .addSuccess(CreatedKey, { status: 201 })
      .middleware(CreateKeyAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Create a key")
      .annotate(
        OpenApi.Description,
        "With `mailboxIds` the key reaches these mailboxes only; without, it has full access. `permissions` limits what it may do there. A key cannot create a key that may do more than itself. No other response shows the value. A session cookie works too, to replace a lost key. An account has at most 500 active keys: 400 `API_KEY_LIMIT_REACHED`.",
      ),
  )
  .add(
    HttpApiEndpoint.del("revoke")`/v1/api-keys/${keyId}`
      .addSuccess(Schema.Struct({ revoked: described(Schema.Literal(true), "always true") }))
      .middleware(RevokeKeyAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Revoke a key at once")
      .annotate(
        OpenApi.Description,
        "Requests with the key answer 401 from now on, and its event streams end. A key may always revoke itself. A key cannot revoke the only active full-access key of an account that is unverified, in its trial or active.",
      ),
  )
  .annotate(OpenApi.Title, "API keys")
  .annotate(OpenApi.Description, "Keys with full access, or restricted to mailboxes.") {}

export const UpgradeBody = Schema.Struct({
  plan: Schema.optional(PaidPlanInput).annotations({ description: "plan to buy; default Developer" }),
  period: Schema.optional(BillingPeriodInput).annotations({ description: "billing period; default monthly" }),
}).annotations({ identifier: "UpgradeBody", description: "What to buy" })

export const CheckoutLink = Schema.Struct({
  checkout_url: described(Schema.String, "page where the owner pays, for a browser"),
  expires_at: described(Schema.Int, "expiry of the link, Unix time in seconds"),
  message: described(Schema.String, "hint for the owner"),
}).annotations({ identifier: "CheckoutLink", description: "A checkout link for the owner" })

export const ChangePlanBody = Schema.Struct({
  plan: described(PlanInput, "the new plan; Free ends the paid plan"),
  period: Schema.optional(BillingPeriodInput).annotations({
    description: "the new billing period; default is the current one",
  }),
}).annotations({ identifier: "ChangePlanBody", description: "The new plan" })

export class BillingGroup extends HttpApiGroup.make("billing")
  .add(
    HttpApiEndpoint.post("upgrade", "/v1/billing/upgrade")
      // The body is optional (spec: billing.upgrade.201).
      .setPayload(Schema.NullOr(UpgradeBody))
      .addSuccess(CheckoutLink, { status: 201 })
      .addError(Conflict)
      .middleware(BillingAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Create a checkout link for the owner")
      .annotate(
        OpenApi.Description,
        "Give `checkout_url` to a person: payment there lifts the limits and unlocks gated messages at once. The link can be used once, within 24 hours. While it is valid for 12 more hours, another call with the same plan and period returns the same link.",
      ),
  )
  .add(
    HttpApiEndpoint.post("changePlan", "/v1/billing/change-plan")
      .setPayload(ChangePlanBody)
      .addSuccess(OneAccount)
      .addError(Conflict)
      .middleware(OwnerAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Change the plan or the billing period at once")
      .annotate(
        OpenApi.Description,
        "Needs the session of the owner. Free ends the paid plan. Mailboxes above the limits of the new plan are paused, and start again when a plan has room for them. Annual becomes monthly for a plan without an annual price.",
      ),
  )
  .add(
    HttpApiEndpoint.post("portal", "/v1/billing/portal")
      .addSuccess(Schema.Struct({ url: described(Schema.String, "the page for a browser") }))
      .addError(Conflict)
      .middleware(OwnerAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Get the page for invoices and payment details")
      .annotate(
        OpenApi.Description,
        "Needs the session of the owner. Returns a link to the page of the payment provider.",
      ),
  )
  .add(
    HttpApiEndpoint.post("stripeWebhook", "/v1/billing/stripe/webhook")
      .setPayload(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
      .addSuccess(Schema.Struct({ received: Schema.Literal(true) }))
      .annotate(BodyLimit, paymentEventBody)
      .annotate(OpenApi.Summary, "Where Stripe sends its events; only under BILLING=stripe")
      .annotate(OpenApi.Description, "Needs no key: the `Stripe-Signature` header authenticates each event.")
      // Only for Stripe; without BILLING=stripe the path does not exist.
      .annotate(OpenApi.Exclude, true),
  )
  .annotate(OpenApi.Title, "Billing")
  .annotate(OpenApi.Description, "Buying and changing a plan.") {}
