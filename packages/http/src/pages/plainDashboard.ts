/** The addresses to which mails and checkouts lead, without the dashboard: pages that say how things stand. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Settings } from "@mailroom/engine"
import { Effect } from "effect"
import { page } from "./html.js"

const trial =
  "<p>Until a plan is bought, that is a trial: three days, with mail to you alone. Ask your agent for an upgrade link.</p>"

const verifiedPage = (hasTrial: boolean) =>
  page(
    "You are set up",
    `<p>Your address is verified, and your agent can send mail now.</p>${hasTrial ? trial : ""}`,
  )

const paidPage = page(
  "Thank you",
  "<p>Once the payment is confirmed, which takes seconds, your agent has the limits of its plan, and mail that waited for " +
    "it is unlocked.</p>",
)

const signedInPage = (sells: boolean) =>
  page(
    "Mailroom",
    `<p>Your agent has everything else: ask it for its mail${sells ? ", or for an upgrade link" : ""}.</p>`,
  )

/** The page to which refusals, the simulated portal and an abandoned checkout send the owner. */
const billingPage = (sells: boolean) =>
  page(
    "Billing",
    sells
      ? "<p>To buy a plan, ask your agent for a checkout link. To move from one plan to another, sign in and " +
          "<code>POST /v1/billing/change-plan</code>.</p>"
      : "<p>Nothing is sold here: the operator of this service decides about limits.</p>",
  )

export const plainDashboard = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { billing } = yield* Settings
    const sells = billing !== "none"
    const verified = verifiedPage(sells)
    const signedIn = signedInPage(sells)
    const dashboard = Effect.map(HttpServerRequest.ParsedSearchParams, (query) => {
      if ("upgraded" in query) return paidPage
      return "verified" in query ? verified : signedIn
    })
    yield* router.get("/onboarding", Effect.succeed(verified))
    yield* router.get("/dashboard", dashboard)
    yield* router.get("/dashboard/billing", Effect.succeed(billingPage(sells)))
  }),
)
