/** Pages for the account's owner: verification, billing, and the simulated checkout. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { escapeHtml, plans } from "@mailroom/domain"
import { Billing, Settings } from "@mailroom/engine"
import { Effect, Schema } from "effect"
import { ErrorResponses } from "../errors.js"
import { fromForm } from "../requests.js"
import { json } from "../json.js"
import { page } from "./html.js"
import { resetPasswordPage, verifyPage } from "./links.js"

const CheckoutPath = HttpRouter.schemaPathParams(Schema.Struct({ token: Schema.String }))

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

export const ownerPages = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const billing = yield* Billing
    const settings = yield* Settings
    const sells = settings.billing !== "none"
    const verified = verifiedPage(sells)
    const signedIn = signedInPage(sells)
    const dashboard = Effect.map(HttpServerRequest.ParsedSearchParams, (query) => {
      if ("upgraded" in query) return paidPage
      return "verified" in query ? verified : signedIn
    })
    const { respond } = yield* ErrorResponses
    const noCheckout = () => page("No such checkout", "<p>Ask your agent for a new link.</p>", 404)
    const closed = ({ state }: { readonly state: "completed" | "expired" }) =>
      state === "completed"
        ? page("Already completed", "<p>This checkout was completed. There is nothing left to do.</p>", 410)
        : page("This link has expired", "<p>Ask your agent for a new link.</p>", 410)

    const offerPage = Effect.gen(function* () {
      const { token } = yield* CheckoutPath
      const { plan, period } = yield* billing.offer(token)
      const { priceUsd, mailboxes } = plans[plan]
      return page(
        `The ${plan} plan`,
        `<p>${mailboxes} mailboxes, ${priceUsd} USD a month, billed ${escapeHtml(period)}. ` +
          `This is a simulated checkout: no money changes hands.</p>` +
          `<form method="post" action="/checkout/${encodeURIComponent(token)}/complete"><button>Pay</button></form>`,
      )
    }).pipe(
      Effect.catchTags({
        NotFound: () => Effect.sync(noCheckout),
        ParseError: () => Effect.sync(noCheckout),
        CheckoutClosed: (error) => Effect.succeed(closed(error)),
      }),
    )

    const complete = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { token } = yield* Effect.orDie(CheckoutPath)
      const asJson = !fromForm(request)
      return yield* billing.complete(token).pipe(
        Effect.map(({ plan }) =>
          asJson
            ? json({ ok: true, plan })
            : HttpServerResponse.redirect("/dashboard?upgraded=true", { status: 303 }),
        ),
        Effect.catchAll((error) =>
          Effect.sync(() => {
            if (asJson) return respond(error)
            return error._tag === "NotFound" ? noCheckout() : closed(error)
          }),
        ),
      )
    }).pipe(Effect.uninterruptible)

    yield* router.get("/v1/auth/verify-email", verifyPage)
    yield* router.get("/reset-password", resetPasswordPage)
    yield* router.get("/onboarding", Effect.succeed(verified))
    yield* router.get("/dashboard", dashboard)
    yield* router.get("/dashboard/billing", Effect.succeed(billingPage(sells)))
    yield* router.get("/checkout/:token", offerPage)
    yield* router.post("/checkout/:token/complete", complete)
  }),
)
