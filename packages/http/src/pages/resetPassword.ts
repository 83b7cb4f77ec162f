/** Setting a new password, by the link in the mail (decisions §4; docs/decisions/0014). */
import { escapeHtml, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "@mailroom/domain"
import { page } from "./html.js"
import { linkPage } from "./links.js"

/** Opening it changes nothing: the link is used up by the form. */
export const resetPasswordPage = linkPage((token) =>
  page(
    "Set a new password",
    `<form method="post" action="/api/auth/reset-password">` +
      `<input type="hidden" name="token" value="${escapeHtml(token)}">` +
      `<p><label>New password<br><input type="password" name="password" autocomplete="new-password" required ` +
      `minlength="${PASSWORD_MIN_LENGTH}" maxlength="${PASSWORD_MAX_LENGTH}"></label></p>` +
      `<button>Set password</button></form>` +
      `<p>All sessions end. API keys stay valid.</p>`,
  ),
)

/** To a form whose link is not valid any more. */
export const linkOver = () =>
  page(
    "This link is over",
    "<p>It was used already, or it is more than an hour old. Ask for a new one.</p>",
    400,
  )
