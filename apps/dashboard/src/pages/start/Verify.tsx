/** Asking for the verification mail again, also without a session. */
import type { JSX } from "preact"
import { mailroom } from "../../data/client.js"
import { account } from "../../data/session.js"
import { MailLink } from "./MailLink.js"

export const Page = (): JSX.Element => (
  <MailLink
    title="Verify your address"
    lead="A link comes by mail. Until you have opened it, your agents receive mail and cannot send."
    email={account.value?.email ?? ""}
    send={(email) => mailroom.signup.resendVerification({ email })}
    sent="Open its link and press the button on the page."
  />
)
