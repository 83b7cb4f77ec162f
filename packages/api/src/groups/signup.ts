/** Signup, verification and sessions, all public (docs/specification/signup.md). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  atMostCharacters,
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
import { AnswersForms, IgnoresUnknown } from "../requestInput.js"

export const Password = Schema.String.pipe(
  Schema.minLength(PASSWORD_MIN_LENGTH),
  atMostCharacters(PASSWORD_MAX_LENGTH),
).annotations({
  identifier: "Password",
  description: "8 to 256 characters",
})

export const SignupBody = Schema.Struct({
  email: described(EmailAddress, "email of the owner, who gets the verification mail"),
  password: described(Password, "the owner's password: 8 to 256 characters"),
  slug: described(Slug, "subdomain of the account's addresses; it cannot be changed"),
  name: Schema.optional(Schema.String.pipe(atMostCharacters(200), withoutNul)).annotations({
    description: "the owner's name",
  }),
  plan: Schema.optional(Schema.String).annotations({ description: "plan that the owner intends to buy" }),
  period: Schema.optional(Schema.String).annotations({
    description: "billing period of that plan: monthly or annual",
  }),
  invitation: Schema.optional(Schema.String.pipe(Schema.maxLength(200))).annotations({
    description: "token of an invitation, where signup needs one",
  }),
}).annotations({ identifier: "SignupBody", description: "The owner and the slug of a new account" })

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
      address: described(Schema.String, "full address of the mailbox"),
    }),
    "the first mailbox",
  ),
  api_key: described(
    Schema.Struct({ key: described(Schema.String, "the key; this response alone shows it") }),
    "the first key, with full access",
  ),
  email_verified: described(Schema.Boolean, "whether the owner has verified the address"),
  next_steps: described(
    Schema.Struct({
      verify_email: described(Schema.String, "how the owner verifies the address"),
      create_mailbox: described(Schema.String, "how to create another mailbox"),
    }),
    "hints for the next steps",
  ),
}).annotations({ identifier: "SignedUp", description: "The new account" })

const Token = described(Schema.String.pipe(Schema.maxLength(200)), "token from the mail")

export const SlugVerdict = Schema.Struct({
  available: described(Schema.Boolean, "whether the slug is available"),
  reason: Schema.optional(Schema.Literal("reserved", "taken")).annotations({
    description: "why it is not available",
  }),
}).annotations({ identifier: "SlugVerdict", description: "Availability of a slug" })

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
        "Needs no key. Only this response shows the first key. The owner gets a mail to verify the address; before that the account can receive mail, but not send. A client address can sign up five times an hour.",
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
      .annotate(OpenApi.Summary, "Check whether a slug is available")
      .annotate(
        OpenApi.Description,
        "The slug becomes the permanent subdomain of the account. A client address can check thirty slugs a minute.",
      ),
  )
  .add(
    HttpApiEndpoint.post("verifyEmail", "/v1/auth/verify-email")
      .setPayload(Schema.Struct({ token: Token }))
      .addSuccess(
        Schema.Struct({
          ok: described(Schema.Literal(true), "always true"),
          target: described(Schema.String, "path of the next page of the dashboard"),
        }),
      )
      .annotate(OpenApi.Summary, "Verify the owner's address with the token from the mail")
      .annotate(OpenApi.Description, "Starts the three-day trial. Repeated calls change nothing.")
      .annotate(
        OpenApi.Transform,
        alsoAnswers({ 303: { description: "For a form: redirect to the target" } }),
      )
      .annotate(AnswersForms, true),
  )
  .add(
    HttpApiEndpoint.post("resendVerification", "/v1/auth/resend-verification")
      .setPayload(Schema.Struct({ email: OwnerEmail }))
      .addSuccess(Ok)
      .annotate(OpenApi.Summary, "Send the verification mail again")
      .annotate(OpenApi.Description, "The response is the same for known and unknown addresses.")
      .annotate(AnswersForms, true),
  )
  .annotate(BodyLimit, publicBody)
  .annotate(IgnoresUnknown, true)
  .annotate(OpenApi.Title, "Signup")
  .annotate(OpenApi.Description, "Creating an account and verifying its owner.") {}

export class SessionGroup extends HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.post("signIn", "/api/auth/sign-in/email")
      .setPayload(
        Schema.Struct({
          email: OwnerEmail,
          password: described(
            Schema.String.pipe(atMostCharacters(PASSWORD_MAX_LENGTH)),
            "the owner's password",
          ),
        }),
      )
      .addSuccess(Ok)
      .addError(Unauthorized)
      .addError(Forbidden)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .annotate(OpenApi.Summary, "Open a session; the response sets the cookie")
      .annotate(
        OpenApi.Description,
        "For the dashboard, and to replace a lost key with `POST /v1/api-keys`. After ten wrong passwords for an email within 15 minutes, the client address has to wait. There are higher limits for one address over all emails, and for one email over all addresses.",
      ),
  )
  .add(
    HttpApiEndpoint.post("signOut", "/api/auth/sign-out")
      .addSuccess(Ok)
      .addError(Forbidden)
      .annotate(OpenApi.Summary, "End the session")
      .annotate(OpenApi.Description, "The cookie is invalid afterwards."),
  )
  .add(
    HttpApiEndpoint.post("requestPasswordReset", "/api/auth/request-password-reset")
      .setPayload(Schema.Struct({ email: OwnerEmail }))
      .addSuccess(Ok)
      .annotate(OpenApi.Summary, "Send the owner a link to set a new password")
      .annotate(
        OpenApi.Description,
        "The response is the same for known and unknown addresses. The link can be used once, within an hour.",
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
          description: "The token from the mail, and the new password",
        }),
      )
      .addSuccess(Ok)
      .addError(Unavailable)
      .annotate(OpenApi.Summary, "Set a new password with the token from the mail; ends all sessions")
      .annotate(OpenApi.Description, "API keys do not change. The answer to a form is a page.")
      .annotate(AnswersForms, true),
  )
  .annotate(BodyLimit, publicBody)
  .annotate(IgnoresUnknown, true)
  .annotate(OpenApi.Title, "Session")
  .annotate(OpenApi.Description, "Sessions of the account's owner.") {}
