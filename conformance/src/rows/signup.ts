/** Signup, sessions and the account: docs/specification/signup.md. */
import type { Section } from "./Section.js"

export const signup = [
  {
    heading: "POST /v1/signup",
    rows: {
      "signup.create.201": "201 with slug, domain, key, email_verified and next steps; public",
      "signup.create.name": "name is optional",
      "decisions.upgrade.intent": "Signup takes plan and period as intent",
      "decisions.upgrade.intent-cleared": "An intent for Free or an unknown plan is cleared",
      "signup.create.remaining": "X-RateLimit-Remaining is the number of remaining signups",
      "signup.create.400-email": "400 without a valid email",
      "signup.create.400-password": "400 without a password",
      "signup.create.400-slug": "400 without a slug of 3 to 30 lower-case letters, digits and hyphens",
      "signup.create.409-email": "409 for an email that is registered",
      "signup.create.409-slug": "409 for a slug that is registered",
      "decisions.reserved-slugs": "Reserved slugs are 409 at signup",
      "decisions.deleted-reserved": "A deleted account's slug and email stay reserved for 30 days",
      "signup.create.429": "429 when rate limited",
      "signup.create.500": "500 when the service fails",
    },
  },
  {
    heading: "GET /v1/signup/check-slug",
    rows: {
      "signup.check-slug.200": "200 with available; public",
      "signup.check-slug.reserved": "reason is reserved for a reserved slug",
      "decisions.check-slug.reasons": "check-slug's reasons are reserved and taken",
      "signup.check-slug.400": "400 for a malformed slug, by the rules of signup",
      "signup.check-slug.429": "429 when rate limited",
    },
  },
  {
    heading: "Verifying the address",
    rows: {
      "decisions.verify.link": "The link of the mail stands alone on its line of the text part",
      "decisions.verify.page": "It opens a page with one button; opening the page does not verify",
      "decisions.verify.json": "POST /v1/auth/verify-email {token}: 200 {ok: true, target}",
      "decisions.verify.form": "A form is redirected to the target: 303",
      "decisions.verify.400": "An invalid token: 400",
      "decisions.resend": "POST /v1/auth/resend-verification sends another mail: 200 {ok: true}",
      "decisions.resend.always": "It is 200 for an unknown address too, and sends nothing",
    },
  },
  {
    heading: "Sessions",
    rows: {
      "account.sign-in": "Email and password return a session cookie; public",
      "decisions.sign-in.401": "A wrong password: 401",
      "decisions.sign-out": "POST /api/auth/sign-out ends the session",
      "decisions.password-reset": "request-password-reset and reset-password set another password by mail",
      "decisions.password-reset.always": "Asking for it is 200 for an unknown address too",
    },
  },
  {
    heading: "GET /v1/account",
    rows: {
      "account.get.200": "200 with plan, storage, mailbox counts, usage, inbound quota and billing linkage",
      "account.get.session": "A dashboard session reads it too",
      "account.get.401": "401 without a key",
      "account.get.403": "403 for a scoped key",
    },
  },
  {
    heading: "DELETE /v1/account",
    rows: {
      "account.delete.200": "200; the account and all its data are deleted for good",
      "account.delete.400": "400 unless confirm is exactly DELETE",
      "account.delete.401": "401 without a key",
      "account.delete.403": "403 for a scoped key",
    },
  },
  {
    heading: "POST /v1/account/welcome",
    rows: {
      "account.welcome.200": "200 {ok}, before the mail is sent",
      "account.welcome.idempotent": "Repeated calls send one mail",
      "account.welcome.401": "401 without a key",
      "account.welcome.402": "402 when payment is required",
      "account.welcome.403": "403 for a scoped key",
      "account.welcome.403-unverified": "403 before the address is verified",
    },
  },
  {
    heading: "POST /v1/account/post-verify-target",
    rows: {
      "account.target.200": "200 with a target: /dashboard?verified=true or /onboarding",
      "decisions.upgrade.target": "/onboarding with a live intent or no key ever used, else the dashboard",
      "account.target.trial": "The trial has begun",
      "account.target.fallback": "An annual intent without an annual price is stored as monthly",
      "account.target.intent": "An intent that cannot be bought is cleared",
      "account.target.welcome": "The welcome mail is sent",
      "account.target.401": "401 without credentials",
      "account.target.403": "403 for a scoped key",
    },
  },
] as const satisfies ReadonlyArray<Section>
