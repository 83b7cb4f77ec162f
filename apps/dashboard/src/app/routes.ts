/** The pages, by address. Each is a chunk of its own, which is loaded when the page is opened. */
import type { ComponentType } from "preact"
import { matchPath, type Params } from "../rules/paths.js"

export interface PageProps {
  /** the variable parts of the path, such as `mailboxId` of `/dashboard/mailboxes/:mailboxId` */
  readonly params: Params
}

interface PageModule {
  readonly Page: ComponentType<PageProps>
}

/** `public` pages have no navigation. `account` pages need a session, `operator` pages the admin token. */
export type Area = "public" | "account" | "operator"

export interface Route {
  readonly path: string
  readonly area: Area
  readonly load: () => Promise<PageModule>
  /** addresses of the API that the page asks at first when its own has no query: browsers ask for them before the script starts */
  readonly data?: ReadonlyArray<string>
}

/**
 * What every page of the account asks before its own data, and after it. The position of the newest event is the first: no change
 * after it is missed.
 */
export const accountData = {
  before: ["/v1/events/log?after=latest", "/v1/account"],
  after: ["/v1/reviews?bodies=preview&limit=100"],
} as const

export const routes: ReadonlyArray<Route> = [
  { path: "/signup", area: "public", load: () => import("../pages/start/SignUp.js") },
  { path: "/signin", area: "public", load: () => import("../pages/start/SignIn.js") },
  { path: "/verify", area: "public", load: () => import("../pages/start/Verify.js") },
  { path: "/reset", area: "public", load: () => import("../pages/start/Reset.js") },
  { path: "/onboarding", area: "account", load: () => import("../pages/onboarding/Onboarding.js") },
  {
    path: "/dashboard",
    area: "account",
    load: () => import("../pages/home/Home.js"),
    data: ["/v1/mailboxes"],
  },
  { path: "/dashboard/audit", area: "account", load: () => import("../pages/audit/Audit.js") },
  { path: "/dashboard/billing", area: "account", load: () => import("../pages/billing/Billing.js") },
  { path: "/dashboard/compose", area: "account", load: () => import("../pages/compose/Compose.js") },
  { path: "/dashboard/domains", area: "account", load: () => import("../pages/domains/Domains.js") },
  { path: "/dashboard/drafts", area: "account", load: () => import("../pages/drafts/Drafts.js") },
  { path: "/dashboard/keys", area: "account", load: () => import("../pages/keys/Keys.js") },
  { path: "/dashboard/outbox", area: "account", load: () => import("../pages/outbox/Outbox.js") },
  { path: "/dashboard/settings", area: "account", load: () => import("../pages/settings/Settings.js") },
  {
    path: "/dashboard/suppressions",
    area: "account",
    load: () => import("../pages/suppressions/Suppressions.js"),
  },
  { path: "/dashboard/usage", area: "account", load: () => import("../pages/usage/Usage.js") },
  { path: "/dashboard/webhooks", area: "account", load: () => import("../pages/webhooks/Webhooks.js") },
  { path: "/operator", area: "operator", load: () => import("../pages/operator/Overview.js") },
  { path: "/operator/accounts", area: "operator", load: () => import("../pages/operator/Accounts.js") },
  { path: "/operator/audit", area: "operator", load: () => import("../pages/operator/Trail.js") },
  { path: "/operator/invitations", area: "operator", load: () => import("../pages/operator/Invitations.js") },
  {
    path: "/dashboard/domains/:domainId",
    area: "account",
    load: () => import("../pages/domains/DomainPage.js"),
  },
  {
    path: "/dashboard/webhooks/:webhookId",
    area: "account",
    load: () => import("../pages/webhooks/Webhook.js"),
  },
  {
    path: "/dashboard/mail",
    area: "account",
    load: () => import("../pages/mail/Mail.js"),
    data: [
      "/v1/messages?direction=INBOUND&bodies=preview&limit=25",
      "/v1/messages?bodies=preview&limit=1",
      "/v1/mailboxes",
    ],
  },
  {
    path: "/dashboard/mail/threads/:threadId",
    area: "account",
    load: () => import("../pages/thread/ThreadPage.js"),
  },
  { path: "/dashboard/mailboxes", area: "account", load: () => import("../pages/mailboxes/Mailboxes.js") },
  {
    path: "/dashboard/mailboxes/:mailboxId",
    area: "account",
    load: () => import("../pages/mailboxes/MailboxPage.js"),
  },
  { path: "/dashboard/reviews", area: "account", load: () => import("../pages/reviews/Reviews.js") },
]

export interface Match {
  readonly route: Route
  readonly params: Params
}

/** The page at a path. Routes without parameters stand before those with them. */
export const findRoute = (path: string): Match | null => {
  for (const route of routes) {
    const params = matchPath(route.path, path)
    if (params !== null) return { route, params }
  }
  return null
}
