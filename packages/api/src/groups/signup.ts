/** Signing up and verifying (spec, Signup and account; decisions §4). Public. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { EmailAddress, Slug } from "@mailroom/domain"
import { Schema } from "effect"
import { Conflict, TooManyRequests, Unauthorized } from "../errors.js"
import { alsoAnswers } from "../openapi.js"

export const Password = Schema.String.pipe(Schema.minLength(8), Schema.maxLength(256)).annotations({
  identifier: "Password",
  description: "8 to 256 characters",
})

export const SignupBody = Schema.Struct({
  email: EmailAddress,
  password: Password,
  slug: Slug,
  name: Schema.optional(Schema.String.pipe(Schema.maxLength(200))),
  plan: Schema.optional(Schema.String).annotations({ description: "the plan the owner means to buy" }),
  period: Schema.optional(Schema.String).annotations({ description: "monthly or annual" }),
}).annotations({ identifier: "SignupBody", description: "Who opens an account" })

export const SignedUp = Schema.Struct({
  user: Schema.Struct({ slug: Schema.String, platform_domain: Schema.String }),
  api_key: Schema.Struct({ key: Schema.String.annotations({ description: "shown once" }) }),
  email_verified: Schema.Boolean,
  next_steps: Schema.Struct({ verify_email: Schema.String, create_mailbox: Schema.String }),
}).annotations({ identifier: "SignedUp", description: "The new account" })

export const SlugVerdict = Schema.Struct({
  available: Schema.Boolean,
  reason: Schema.optional(Schema.Literal("reserved", "taken")),
}).annotations({ identifier: "SlugVerdict", description: "Whether a slug can be had, and why not" })

export const Ok = Schema.Struct({ ok: Schema.Literal(true) }).annotations({
  identifier: "Ok",
  description: "Done",
})

export class SignupGroup extends HttpApiGroup.make("signup")
  .add(
    HttpApiEndpoint.post("signup", "/v1/signup")
      .setPayload(SignupBody)
      .addSuccess(SignedUp, { status: 201 })
      .addError(Conflict)
      .addError(TooManyRequests)
      .annotate(OpenApi.Summary, "Create an account, its first mailbox and its first key")
      .annotate(
        OpenApi.Description,
        "Needs no key. The answer holds the key, once. The owner gets a mail to verify the address; until then mail can be received, not sent. Five an hour and client address.",
      ),
  )
  .add(
    HttpApiEndpoint.get("checkSlug", "/v1/signup/check-slug")
      .setUrlParams(
        Schema.Struct({
          slug: Slug.annotations({ description: "3 to 30 lower-case letters, digits and hyphens" }),
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
      .setPayload(Schema.Struct({ token: Schema.String.pipe(Schema.maxLength(200)) }))
      .addSuccess(Schema.Struct({ ok: Schema.Literal(true), target: Schema.String }))
      .annotate(OpenApi.Summary, "Verify the owner's address with the token of the mail")
      .annotate(OpenApi.Description, "Starts the three-day trial. A second time it changes nothing.")
      .annotate(OpenApi.Transform, alsoAnswers({ 303: "To a form: on to the target" })),
  )
  .add(
    HttpApiEndpoint.post("resendVerification", "/v1/auth/resend-verification")
      .setPayload(Schema.Struct({ email: EmailAddress }))
      .addSuccess(Ok)
      .annotate(OpenApi.Summary, "Send the verification mail again")
      .annotate(OpenApi.Description, "Always answers the same, whether the address is known or not."),
  )
  .annotate(OpenApi.Title, "Signup")
  .annotate(OpenApi.Description, "Opening an account and verifying its owner.") {}

export class SessionGroup extends HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.post("signIn", "/api/auth/sign-in/email")
      .setPayload(Schema.Struct({ email: EmailAddress, password: Schema.String.pipe(Schema.maxLength(256)) }))
      .addSuccess(Ok)
      .addError(Unauthorized)
      .annotate(OpenApi.Summary, "Open a session; the cookie is in the answer")
      .annotate(
        OpenApi.Description,
        "For the dashboard, and to replace a lost key with `POST /v1/api-keys`.",
      ),
  )
  .add(
    HttpApiEndpoint.post("signOut", "/api/auth/sign-out")
      .addSuccess(Ok)
      .annotate(OpenApi.Summary, "Close the session")
      .annotate(OpenApi.Description, "The cookie is worth nothing afterwards."),
  )
  .annotate(OpenApi.Title, "Session")
  .annotate(OpenApi.Description, "Sessions of the account's owner.") {}
