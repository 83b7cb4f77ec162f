/** The mail that asks an owner to verify the address (decisions §4). */
export const verificationMail = (slug: string, link: string) => ({
  subject: "Verify your email address",
  text: [
    `Somebody, most likely your agent, opened the Mailroom account "${slug}" with this address.`,
    "",
    "If that is fine with you, open this page and press the button:",
    "",
    link,
    "",
    "Until then the account can receive mail but not send any. If you know nothing of it, do nothing.",
    "",
  ].join("\n"),
})
