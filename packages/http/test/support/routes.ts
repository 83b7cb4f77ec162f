/** Every route of the contract that needs a caller, with a request that is in order. */
import type { Call } from "@mailroom/testing"
import type { AccessClass } from "@mailroom/domain"
import type { Owner } from "./accounts.js"

/** An id that nothing has. */
export const ABSENT = "01900000-0000-7000-8000-000000000000"

export interface Route {
  readonly access: AccessClass
  readonly target: (ids: Owner & { readonly keyId: string }) => string
  readonly body?: (ids: Owner) => Call["body"]
  /** the type of a body that is not JSON */
  readonly type?: string
  /** the status of a full-access key in good standing: what lies behind the gates */
  readonly inside: number
  /** a scoped key lacks the permission that the route needs */
  readonly lacking?: true
  /** the same once the account has paid, where that makes a difference */
  readonly paid?: number
}

/** The body of a route that is in order, with its type. */
export const bodyFor = ({ body, type }: Route, ids: Owner): Pick<Call, "body" | "headers"> => ({
  body: body?.(ids),
  ...(type !== undefined && { headers: { "content-type": type } }),
})

const body = (fields: Call["body"]) => () => fields
const inMailbox =
  (method: string, rest = "") =>
  ({ mailboxId }: Owner) =>
    `${method} /v1/mailboxes/${mailboxId}${rest}`

export const routes: ReadonlyArray<Route> = [
  { access: "account", target: () => "GET /v1/account", inside: 200 },
  { access: "account", target: () => "PATCH /v1/account", body: body({}), inside: 200 },
  {
    access: "account",
    target: () => "DELETE /v1/account",
    body: body({ confirm: "DELETE" }),
    inside: 200,
  },
  {
    access: "account",
    target: () => "POST /v1/support",
    body: body({ subject: "Help", message: "Please" }),
    // The operator of the tests takes no requests.
    inside: 404,
  },
  { access: "welcome", target: () => "POST /v1/account/welcome", inside: 200 },
  { access: "billing", target: () => "POST /v1/account/post-verify-target", inside: 200 },
  { access: "account", target: () => "GET /v1/api-keys", inside: 200 },
  { access: "account", target: () => "GET /v1/audit", inside: 200 },
  { access: "revoke-key", target: ({ keyId }) => `DELETE /v1/api-keys/${keyId}`, inside: 200 },
  { access: "whoami", target: () => "GET /v1/whoami", inside: 200 },
  { access: "create-key", target: () => "POST /v1/api-keys", body: body({ name: "second" }), inside: 201 },
  { access: "billing", target: () => "POST /v1/billing/upgrade", inside: 201, paid: 409 },
  {
    access: "owner",
    target: () => "POST /v1/billing/change-plan",
    body: body({ plan: "Growth" }),
    inside: 409,
    paid: 200,
  },
  { access: "owner", target: () => "POST /v1/billing/portal", inside: 409, paid: 200 },
  { access: "stream", target: () => "GET /v1/events", inside: 200 },
  { access: "provisioning", target: () => "POST /v1/mailboxes", body: body({ address: "new" }), inside: 201 },
  { access: "provisioning", target: inMailbox("POST", "/resume-sending"), inside: 200 },
  { access: "provisioning", target: inMailbox("DELETE"), inside: 200 },
  // Not a form: it gets as far as the body.
  { access: "provisioning", target: () => "POST /v1/attachments", body: body({}), inside: 400 },
  { access: "provisioning", target: () => `DELETE /v1/attachments/${ABSENT}`, inside: 404 },
  { access: "domains", target: () => "GET /v1/domains", inside: 200 },
  // Nobody's name: it gets as far as the use case, on a plan without custom domains too.
  { access: "domains", target: () => "POST /v1/domains", body: body({ domain: "acme.test" }), inside: 400 },
  { access: "domains", target: () => `GET /v1/domains/${ABSENT}`, inside: 404 },
  { access: "domains", target: () => `DELETE /v1/domains/${ABSENT}`, inside: 404 },
  { access: "domains", target: () => `POST /v1/domains/${ABSENT}/verify`, inside: 404 },
  { access: "domains", target: () => `POST /v1/domains/${ABSENT}/rotate-dkim`, inside: 404 },
  { access: "domains", target: () => "GET /v1/suppressions", inside: 200 },
  {
    access: "domains",
    target: () => "POST /v1/suppressions",
    body: body({ email: "bob@partner.dev" }),
    inside: 201,
  },
  { access: "domains", target: () => `DELETE /v1/suppressions/${ABSENT}`, inside: 404 },
  { access: "provisioning", target: () => "GET /v1/lists/receive/block", inside: 200 },
  {
    access: "provisioning",
    target: () => "POST /v1/lists/receive/block",
    body: body({ entry: "@partner.dev" }),
    inside: 201,
  },
  { access: "provisioning", target: () => `DELETE /v1/lists/receive/block/${ABSENT}`, inside: 404 },
  { access: "provisioning", target: inMailbox("GET", "/lists/send/allow"), inside: 200 },
  {
    access: "provisioning",
    target: inMailbox("POST", "/lists/send/allow"),
    body: body({ entry: "@partner.dev" }),
    inside: 201,
  },
  { access: "provisioning", target: inMailbox("DELETE", `/lists/send/allow/${ABSENT}`), inside: 404 },
  {
    access: "webhooks",
    target: () => "POST /v1/webhooks",
    body: ({ mailboxId }) => ({
      url: "https://receiver.mailroom.dev/in",
      events: ["message.received"],
      mailboxId,
    }),
    inside: 201,
  },
  { access: "webhooks", target: () => "GET /v1/webhooks", inside: 200 },
  { access: "webhooks", target: () => `GET /v1/webhooks/${ABSENT}`, inside: 404 },
  {
    access: "webhooks",
    target: () => `PATCH /v1/webhooks/${ABSENT}`,
    body: body({ status: "PAUSED" }),
    inside: 404,
  },
  { access: "webhooks", target: () => `DELETE /v1/webhooks/${ABSENT}`, inside: 404 },
  { access: "webhooks", target: () => `POST /v1/webhooks/${ABSENT}/test`, inside: 404 },
  { access: "webhooks", target: () => `POST /v1/webhooks/${ABSENT}/rotate-secret`, inside: 404 },
  { access: "webhooks", target: () => `GET /v1/webhooks/${ABSENT}/deliveries`, inside: 404 },
  { access: "webhooks", target: () => `GET /v1/webhooks/${ABSENT}/deliveries/${ABSENT}`, inside: 404 },
  {
    access: "webhooks",
    target: () => `POST /v1/webhooks/${ABSENT}/deliveries/${ABSENT}/redeliver`,
    inside: 404,
  },
  { access: "mail", target: () => "GET /v1/events/log", inside: 200 },
  { access: "mail", target: () => "GET /v1/mailboxes", inside: 200 },
  { access: "mail", target: () => "GET /v1/metrics", inside: 200 },
  { access: "mail", target: () => "GET /v1/messages", inside: 200 },
  { access: "mail", target: () => "GET /v1/threads", inside: 200 },
  {
    access: "mail",
    target: inMailbox("PATCH", `/threads/${ABSENT}`),
    body: body({ read: true }),
    inside: 404,
  },
  {
    access: "mail",
    target: () => `POST /v1/threads/${ABSENT}/takeover`,
    inside: 404,
    lacking: true,
  },
  {
    access: "mail",
    target: () => `POST /v1/threads/${ABSENT}/release`,
    inside: 404,
    lacking: true,
  },
  { access: "mail", target: inMailbox("GET"), inside: 200 },
  { access: "mail", target: inMailbox("PATCH"), body: body({ displayName: "Ada" }), inside: 200 },
  { access: "mail", target: inMailbox("GET", "/messages"), inside: 200 },
  {
    access: "mail",
    target: inMailbox("POST", "/messages"),
    body: ({ email }) => ({ to: [email], subject: "Hello", bodyText: "Hello" }),
    inside: 201,
  },
  {
    access: "mail",
    target: inMailbox("POST", "/import"),
    body: body("From: ada@elsewhere.org\r\n\r\nHello"),
    type: "message/rfc822",
    inside: 201,
    lacking: true,
  },
  { access: "mail", target: inMailbox("GET", `/messages/${ABSENT}`), inside: 404 },
  {
    access: "mail",
    target: inMailbox("PATCH", `/messages/${ABSENT}`),
    body: body({ read: true }),
    inside: 404,
  },
  { access: "mail", target: inMailbox("DELETE", `/messages/${ABSENT}`), inside: 404 },
  { access: "mail", target: inMailbox("GET", `/messages/${ABSENT}/raw`), inside: 404 },
  {
    access: "mail",
    target: inMailbox("POST", `/messages/${ABSENT}/reply`),
    body: body({ bodyText: "Hello" }),
    inside: 404,
  },
  {
    access: "mail",
    target: inMailbox("POST", `/messages/${ABSENT}/reply-all`),
    body: body({ bodyText: "Hello" }),
    inside: 404,
  },
  {
    access: "mail",
    target: inMailbox("POST", `/messages/${ABSENT}/rsvp`),
    body: body({ status: "accepted" }),
    inside: 404,
  },
  {
    access: "mail",
    target: inMailbox("POST", `/messages/${ABSENT}/forward`),
    body: ({ email }) => ({ to: [email] }),
    inside: 404,
  },
  { access: "mail", target: () => "GET /v1/drafts", inside: 200 },
  { access: "mail", target: inMailbox("GET", "/drafts"), inside: 200 },
  { access: "mail", target: inMailbox("POST", "/drafts"), body: body({ subject: "Hello" }), inside: 201 },
  { access: "mail", target: inMailbox("GET", `/drafts/${ABSENT}`), inside: 404 },
  {
    access: "mail",
    target: inMailbox("PATCH", `/drafts/${ABSENT}`),
    body: body({ subject: "Hello" }),
    inside: 404,
  },
  { access: "mail", target: inMailbox("DELETE", `/drafts/${ABSENT}`), inside: 404 },
  { access: "mail", target: inMailbox("POST", `/drafts/${ABSENT}/send`), inside: 404 },
  { access: "mail", target: () => "GET /v1/reviews", inside: 200 },
  {
    access: "provisioning",
    target: () => `POST /v1/reviews/${ABSENT}/approve`,
    body: body({ digest: "0".repeat(64) }),
    inside: 404,
  },
  { access: "provisioning", target: () => `POST /v1/reviews/${ABSENT}/reject`, inside: 404 },
  { access: "mail", target: inMailbox("GET", "/messages/wait?timeout=0"), inside: 200 },
  { access: "mail", target: () => "GET /v1/messages/wait?timeout=0", inside: 200 },
  { access: "mail", target: inMailbox("POST", "/messages/claim"), inside: 200 },
  { access: "mail", target: inMailbox("POST", `/messages/${ABSENT}/claim`), inside: 404 },
  ...["renew", "release", "complete"].map((change): Route => ({
    access: "mail",
    target: inMailbox("POST", `/messages/${ABSENT}/${change}`),
    body: body({ token: "token" }),
    inside: 404,
  })),
  { access: "mail", target: inMailbox("DELETE", `/messages/${ABSENT}/claim`), inside: 404, lacking: true },
  { access: "mail", target: inMailbox("POST", `/messages/${ABSENT}/quarantine`), inside: 404, lacking: true },
  { access: "mail", target: () => "GET /v1/messages/search?q=hello", inside: 200 },
  { access: "mail", target: inMailbox("GET", "/messages/search?q=hello"), inside: 200 },
  { access: "mail", target: inMailbox("GET", "/threads"), inside: 200 },
  { access: "mail", target: inMailbox("GET", `/threads/${ABSENT}`), inside: 404 },
  { access: "mail", target: () => `GET /v1/attachments/${ABSENT}`, inside: 404 },
  { access: "mail", target: () => `GET /v1/attachments/${ABSENT}/text`, inside: 404 },
]

const named: Owner & { readonly keyId: string } = {
  slug: "",
  email: "",
  key: "",
  address: "",
  mailboxId: "{mailbox}",
  keyId: "{key}",
}

/** A route as a test's name says it. */
export const nameOf = ({ target }: Route): string => target(named).replaceAll(ABSENT, "{absent}")
