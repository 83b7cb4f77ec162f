/** Examples of the account: signing up, keys, mailboxes, lists, domains, billing. */
import type { Examples } from "./Example.js"

const SESSION = "needs the cookie of a person who signed in"

export const accountExamples: Examples = {
  "signup.signup": {
    method: "signup.create",
    body: { email: "$EMAIL", password: "correct horse battery", slug: "$SLUG" },
  },
  "signup.checkSlug": { query: { slug: "acme" } },
  "signup.verifyEmail": { body: { token: "$TOKEN" } },
  "signup.resendVerification": { body: { email: "ada@acme.example" } },
  "session.signIn": {
    body: { email: "$EMAIL", password: "correct horse battery" },
  },
  "session.signOut": { notRun: SESSION },
  "session.requestPasswordReset": { body: { email: "ada@acme.example" } },
  "session.resetPassword": { body: { token: "$TOKEN", password: "another horse battery" } },
  "account.get": { tool: { name: "get_account", arguments: {} } },
  "account.update": { body: { sendingPaused: false } },
  "account.remove": { body: { confirm: "DELETE" } },
  "account.whoami": { tool: { name: "whoami", arguments: {} } },
  "account.welcome": {},
  "account.postVerifyTarget": {},
  "account.support": { body: { subject: "Our domain", message: "Which record is wrong?" } },
  "keys.list": {},
  "keys.create": {
    body: { name: "support agent", mailboxIds: ["$MAILBOX"], permissions: ["read", "send"] },
  },
  "keys.revoke": {},
  "audit.list": { query: { limit: 5 } },
  "mailboxes.list": { tool: { name: "list_mailboxes", arguments: {} } },
  "mailboxes.create": {
    body: { address: "support", displayName: "Acme support" },
    tool: { name: "create_mailbox", arguments: { name: "sales", displayName: "Acme sales" } },
  },
  "mailboxes.get": {},
  "mailboxes.update": { body: { outboundPolicy: "review_new" } },
  "mailboxes.remove": {},
  "mailboxes.resumeSending": {},
  "metrics.read": { query: { groupBy: "day" } },
  "domains.list": {},
  "domains.create": { body: { domain: "$DOMAIN_NAME" } },
  "domains.get": {},
  "domains.remove": {},
  "domains.verify": { notRun: "needs DNS" },
  "domains.rotateDkim": { notRun: "needs a domain that DNS has proven" },
  "suppressions.list": { query: { limit: 20 } },
  "suppressions.create": { body: { email: "bob@corp.org" } },
  "suppressions.remove": {},
  "addressLists.list": { method: "lists.list" },
  "addressLists.add": {
    method: "lists.add",
    body: { entry: "@spam.example", reason: "sends advertisements" },
  },
  "addressLists.remove": { method: "lists.remove" },
  "addressLists.listOfMailbox": { method: "lists.listOfMailbox" },
  "addressLists.addToMailbox": { method: "lists.addToMailbox", body: { entry: "eve@corp.org" } },
  "addressLists.removeFromMailbox": { method: "lists.removeFromMailbox" },
  "billing.upgrade": { body: { plan: "Developer", period: "monthly" } },
  "billing.changePlan": { body: { plan: "Growth", period: "monthly" }, notRun: SESSION },
  "billing.portal": { notRun: SESSION },
}
