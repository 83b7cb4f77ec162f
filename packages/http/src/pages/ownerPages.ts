/** Pages for the account's owner that work without script: verification, a new password, and the simulated checkout. */
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
import { basePath, resetPasswordPage, verifyPage } from "./links.js"

const CheckoutPath = HttpRouter.schemaPathParams(Schema.Struct({ token: Schema.String }))

export const ownerPages = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const billing = yield* Billing
    const { baseUrl } = yield* Settings
    const prefix = basePath(baseUrl)
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
          `<form method="post" action="${escapeHtml(prefix)}/checkout/${encodeURIComponent(token)}/complete"><button>Pay</button></form>`,
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
            : HttpServerResponse.redirect(`${prefix}/dashboard?upgraded=true`, { status: 303 }),
        ),
        Effect.catchAll((error) =>
          Effect.sync(() => {
            if (asJson) return respond(error)
            return error._tag === "NotFound" ? noCheckout() : closed(error)
          }),
        ),
      )
    }).pipe(Effect.uninterruptible)

    yield* router.get("/v1/auth/verify-email", verifyPage(baseUrl))
    yield* router.get("/reset-password", resetPasswordPage(baseUrl))
    yield* router.get("/checkout/:token", offerPage)
    yield* router.post("/checkout/:token/complete", complete)
  }),
)
