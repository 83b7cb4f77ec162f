/** Signing up and verifying (spec, Signup and account; decisions §4). Public. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  AccountId,
  EmailAddress,
  MailboxId,
  PASSWORD_MAX_LENGTH,
  PASSWORD_MIN_LENGTH,
  Slug,
  withoutNul,
  described,
} from "@mailroom/domain"
import { Schema } from "effect"
import { BodyLimit, publicBody } from "../bodyLimit.js"
import { Conflict, Forbidden, TooManyRequests, Unauthorized, Unavailable } from "../errors.js"
import { alsoAnswers } from "../openapi.js"
import { query } from "../query.js"
import { IgnoresUnknown } from "../requestInput.js"

export const Password = Schema.String.pipe(
  Schema.minLength(PASSWORD_MIN_LENGTH),
  Schema.maxLength(PASSWORD_MAX_LENGTH),
).annotations({
  identifier: "Password",
  description: "8 to 256 characters",
})

export const SignupBody = Schema.Struct({
  email: described(EmailAddress, "the owner's address, which gets the verification mail"),
  password: described(Password, "the owner's password: 8 to 256 characters"),
  slug: described(Slug, "the subdomain of the account's addresses, for good"),
  name: Schema.optional(Schema.String.pipe(Schema.maxLength(200), withoutNul)).annotations({
    description: "the owner's name",
  }),
  plan: Schema.optional(Schema.String).annotations({ description: "the plan the owner means to buy" }),
  period: Schema.optional(Schema.String).annotations({ description: "monthly or annual" }),
  invitation: Schema.optional(Schema.String.pipe(Schema.maxLength(200))).annotations({
    description: "the token of an invitation, where signing up needs one",
  }),
}).annotations({ identifier: "SignupBody", description: "Who opens an account" })

export const SignedUp = Schema.Struct({
  user: described(
    Schema.Struct({
      id: described(AccountId, "id of the account"),
      email: described(Schema.String, "the owner's address"),
      slug: described(Schema.String, "the subdomain of the account's addresses"),
      platform_domain: described(Schema.String, "domain of the account's addresses"),
    }),
    "the account and its owner",
  ),
  mailbox: described(
    Schema.Struct({
      id: described(MailboxId, "id of the mailbox"),
      address: described(Schema.String, "its whole address"),
    }),
    "the first mailbox",
  ),
  api_key: described(
    Schema.Struct({ key: described(Schema.String, "shown once") }),
    "the first key, with full access",
  ),
  email_verified: described(Schema.Boolean, "whether the owner has verified the address"),
  next_steps: described(
    Schema.Struct({
      verify_email: described(Schema.String, "how the owner verifies"),
      create_mailbox: described(Schema.String, "how to make another mailbox"),
    }),
    "what to do now",
  ),
}).annotations({ identifier: "SignedUp", description: "The new account" })

const Token = described(Schema.String.pipe(Schema.maxLength(200)), "the token of the mail")

export const SlugVerdict = Schema.Struct({
  available: described(Schema.Boolean, "whether it can be had"),
  reason: Schema.optional(Schema.Literal("reserved", "taken")).annotations({ description: "why not" }),
}).annotations({ identifier: "SlugVerdict", description: "Whether a slug can be had, and why not" })

const OwnerEmail = described(EmailAddress, "the owner's address")

export const Ok = Schema.Struct({ ok: described(Schema.Literal(true), "always true") }).annotations({
  identifier: "Ok",
  description: "Done",
})

export class SignupGroup extends HttpApiGroup.make("signup")
  .add(
    HttpApiEndpoint.post("signup", "/v1/signup")
      .setPayload(SignupBody)
      .addSuccess(SignedUp, { status: 201 })
      .addError(Forbidden)
      .addError(Conflict)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .annotate(OpenApi.Summary, "Create an account, its first mailbox and its first key")
      .annotate(
        OpenApi.Description,
        "Needs no key. The answer holds the key, once. The owner gets a mail to verify the address; until then mail can be received, not sent. Five an hour and client address.",
      ),
  )
  .add(
    HttpApiEndpoint.get("checkSlug", "/v1/signup/check-slug")
      .setUrlParams(
        query({
          slug: described(Slug, "3 to 30 lower-case letters, digits and hyphens"),
        }),
      )
      .addSuccess(SlugVerdict)
      .addError(TooManyRequests)
      .annotate(OpenApi.Summary, "Whether a slug is free")
      .annotate(
        OpenApi.Description,
        "The slug becomes the permanent subdomain of the account. Thirty a minute and client address.",
      ),
  )
  .add(
    HttpApiEndpoint.post("verifyEmail", "/v1/auth/verify-email")
      .setPayload(Schema.Struct({ token: Token }))
      .addSuccess(
        Schema.Struct({
          ok: described(Schema.Literal(true), "always true"),
          target: described(Schema.String, "where the dashboard goes now, a path"),
        }),
      )
      .annotate(OpenApi.Summary, "Verify the owner's address with the token of the mail")
      .annotate(OpenApi.Description, "Starts the three-day trial. A second time it changes nothing.")
      .annotate(OpenApi.Transform, alsoAnswers({ 303: { description: "To a form: on to the target" } })),
  )
  .add(
    HttpApiEndpoint.post("resendVerification", "/v1/auth/resend-verification")
      .setPayload(Schema.Struct({ email: OwnerEmail }))
      .addSuccess(Ok)
      .annotate(OpenApi.Summary, "Send the verification mail again")
      .annotate(OpenApi.Description, "Always answers the same, whether the address is known or not."),
  )
  .annotate(BodyLimit, publicBody)
  .annotate(IgnoresUnknown, true)
  .annotate(OpenApi.Title, "Signup")
  .annotate(OpenApi.Description, "Opening an account and verifying its owner.") {}

export class SessionGroup extends HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.post("signIn", "/api/auth/sign-in/email")
      .setPayload(
        Schema.Struct({
          email: OwnerEmail,
          password: described(
            Schema.String.pipe(Schema.maxLength(PASSWORD_MAX_LENGTH)),
            "the owner's password",
          ),
        }),
      )
      .addSuccess(Ok)
      .addError(Unauthorized)
      .addError(Forbidden)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .annotate(OpenApi.Summary, "Open a session; the cookie is in the answer")
      .annotate(
        OpenApi.Description,
        "For the dashboard, and to replace a lost key with `POST /v1/api-keys`. Ten wrong passwords for an email in a quarter of an hour, and the address has to wait; there are wider limits for one address over all emails, and for one email over all addresses.",
      ),
  )
  .add(
    HttpApiEndpoint.post("signOut", "/api/auth/sign-out")
      .addSuccess(Ok)
      .addError(Forbidden)
      .annotate(OpenApi.Summary, "Close the session")
      .annotate(OpenApi.Description, "The cookie is worth nothing afterwards."),
  )
  .add(
    HttpApiEndpoint.post("requestPasswordReset", "/api/auth/request-password-reset")
      .setPayload(Schema.Struct({ email: OwnerEmail }))
      .addSuccess(Ok)
      .annotate(OpenApi.Summary, "Send the owner a link to a new password; says nothing about the address")
      .annotate(
        OpenApi.Description,
        "The answer is the same whether the address is known or not. The link works once, for an hour.",
      ),
  )
  .add(
    HttpApiEndpoint.post("resetPassword", "/api/auth/reset-password")
      .setPayload(
        Schema.Struct({
          token: Token,
          password: described(Password, "the new password: 8 to 256 characters"),
        }).annotations({
          identifier: "ResetPasswordBody",
          description: "The token of the mail, and the new password",
        }),
      )
      .addSuccess(Ok)
      .addError(Unavailable)
      .annotate(OpenApi.Summary, "Set a new password with the token of the mail; ends all sessions")
      .annotate(OpenApi.Description, "API keys stay as they are.")
      .annotate(OpenApi.Transform, alsoAnswers({ 303: { description: "To a form: on to the dashboard" } })),
  )
  .annotate(BodyLimit, publicBody)
  .annotate(IgnoresUnknown, true)
  .annotate(OpenApi.Title, "Session")
  .annotate(OpenApi.Description, "Sessions of the account's owner.") {}
