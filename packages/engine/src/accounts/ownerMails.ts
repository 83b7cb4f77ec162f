/** The mails that the service itself writes to an account's owner (spec, Signup and account; decisions §4). */

interface MailText {
  readonly subject: string
  readonly text: string
}

const lines = (...text: ReadonlyArray<string>): string => [...text, ""].join("\n")

/** Asks the owner to verify the address. */
export const verificationMail = (slug: string, link: string): MailText => ({
  subject: "Verify your email address",
  text: lines(
    `Somebody, most likely your agent, opened the Mailroom account "${slug}" with this address.`,
    "",
    "If that is fine with you, open this page and press the button:",
    "",
    link,
    "",
    "Until then the account can receive mail but not send any. If you know nothing of it, do nothing.",
  ),
})

/** Says what works now. `hasTrial`: whether the account is on trial until a plan is bought. */
export const welcomeMail = (slug: string, baseUrl: string, hasTrial: boolean): MailText => ({
  subject: "Your agent has a mailbox",
  text: lines(
    `Your address is verified, and the Mailroom account "${slug}" is ready. With its API key your agent can now`,
    "",
    "- send mail and answer in the same thread,",
    "- hear of new mail at once, by webhook or as a stream of events,",
    "- open more mailboxes, and make keys for single ones.",
    "",
    ...(hasTrial
      ? [
          "On the trial it writes to you alone; a plan lifts that, and the agent can ask for a link to buy one.",
          "",
        ]
      : []),
    "How it all works:",
    "",
    `${baseUrl}/docs`,
  ),
})

/** Lets the owner set a new password. */
export const passwordResetMail = (slug: string, link: string): MailText => ({
  subject: "Set a new password",
  text: lines(
    `Somebody asked for a new password for the Mailroom account "${slug}".`,
    "",
    "If that was you, open this page within an hour and choose one:",
    "",
    link,
    "",
    "It works once, and ends all sessions; API keys stay valid. If it was not you, do nothing: nothing has changed.",
  ),
})
