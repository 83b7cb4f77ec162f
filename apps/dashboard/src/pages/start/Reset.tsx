/** Asking for a link that sets a new password. The link opens a page of the server, which works without script. */
import type { JSX } from "preact"
import { mailroom } from "../../data/client.js"
import { account } from "../../data/session.js"
import { MailLink } from "./MailLink.js"

export const Page = (): JSX.Element => (
  <MailLink
    title="Set a new password"
    lead="A link comes by mail. It is good for one hour, and once."
    email={account.value?.email ?? ""}
    send={(email) => mailroom.session.requestPasswordReset({ email })}
    sent="Open its link to set a new password. All sessions end then; API keys stay valid."
  />
)
