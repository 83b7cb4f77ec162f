/** The pages behind the links in mails. Opening one changes nothing, because mail scanners follow links too. */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { escapeHtml, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import { page } from "./html.js"

/** The path of BASE_URL, which is the prefix of every path in a page; empty for the root of a host. */
export const basePath = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, "")

const action = (baseUrl: string, path: string): string => `action="${escapeHtml(basePath(baseUrl) + path)}"`

const LinkQuery = HttpServerRequest.schemaSearchParams(Schema.Struct({ token: Schema.String }))

const incomplete = page("This link is incomplete", "<p>Open the whole link from the mail.</p>", 400)

/** The page for the token of a link; 400 for a link without its token. */
const linkPage = (show: (token: string) => HttpServerResponse.HttpServerResponse) =>
  LinkQuery.pipe(
    Effect.map(({ token }) => show(token)),
    Effect.catchTag("ParseError", () => Effect.succeed(incomplete)),
  )

/** Verifies the address with a button (spec: decisions.verify.page). */
export const verifyPage = (baseUrl: string) =>
  linkPage((token) =>
    page(
      "Verify your email address",
      `<p>Press the button to confirm that this address is yours.</p>` +
        `<form method="post" ${action(baseUrl, "/v1/auth/verify-email")}>` +
        `<input type="hidden" name="token" value="${escapeHtml(token)}"><button>Verify</button></form>`,
    ),
  )

/** Sets a new password with a form, which uses the link up (docs/decisions/0014). */
export const resetPasswordPage = (baseUrl: string) =>
  linkPage((token) =>
    page(
      "Set a new password",
      `<form method="post" ${action(baseUrl, "/api/auth/reset-password")}>` +
        `<input type="hidden" name="token" value="${escapeHtml(token)}">` +
        `<p><label>New password<br><input type="password" name="password" autocomplete="new-password" required ` +
        `minlength="${PASSWORD_MIN_LENGTH}" maxlength="${PASSWORD_MAX_LENGTH}"></label></p>` +
        `<button>Set password</button></form>` +
        `<p>All sessions end. API keys stay valid.</p>`,
    ),
  )

/** The answer to the form of a new password. `mayLeadOn`: whether there is a page to sign in. */
export const passwordSet = (mayLeadOn: boolean) =>
  page(
    "Your password is set",
    `<p>All sessions have ended. API keys stay valid.</p>${mayLeadOn ? '<p><a class="button" href="/signin">Sign in</a></p>' : ""}`,
  )

/** The answer to the form of a new password whose link is used up or has expired. */
export const resetOver = () =>
  page(
    "This link is over",
    "<p>It was used already, or it is more than an hour old. Ask for a new one.</p>",
    400,
  )

/** The answer to the button of a verification mail whose link has expired. It sends the mail again. */
export const verificationOver = (baseUrl: string) =>
  page(
    "This link is over",
    `<p>It is more than seven days old, or it is not the whole link from the mail.</p>` +
      `<form method="post" ${action(baseUrl, "/v1/auth/resend-verification")}>` +
      `<p><label>Your email address<br><input type="email" name="email" autocomplete="email" required></label></p>` +
      `<button>Send a new link</button></form>`,
    400,
  )

/** The answer to the form for another verification mail. Does not disclose whether the address has an account. */
export const verificationSent = () =>
  page(
    "Look into your mail",
    "<p>If an account with this address waits for its verification, a new link is on its way.</p>",
  )

/** The answer to a form that is refused. `text` is the error's. */
export const formRefused = (text: string, status: number) =>
  page("That did not work", `<p>${escapeHtml(text)}.</p><p>Go back to the form and try again.</p>`, status)
