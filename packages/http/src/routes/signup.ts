/** Signup, verification of the address, sessions. */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Api } from "@mailroom/api"
import { BillingPeriodInput, ForeignOrigin, PlanInput, SESSION_TTL } from "@mailroom/domain"
import { Accounts, Authentication, PasswordReset, Settings } from "@mailroom/engine"
import { Duration, Effect, Option, Schema } from "effect"
import { foreignOrigin, sessionCookie } from "../access.js"
import { DashboardFiles } from "../DashboardFiles.js"
import { clientAddress, fromForm } from "../requests.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"
import { HttpSettings } from "../HttpSettings.js"
import { json } from "../json.js"
import { basePath, passwordSet, resetOver, verificationOver, verificationSent } from "../pages/links.js"

/** The plan or period that a signup intends to buy; null for a text that names none (spec: account.target.intent). */
const intent = <A>(schema: Schema.Schema<A, string>, text: string | undefined): A | null =>
  Option.getOrNull(Schema.decodeUnknownOption(schema)(text))

export const signupRoutes = group(Api, "signup", (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { baseUrl } = yield* Settings
    const { trustProxy } = yield* HttpSettings
    const { answer, answerTo } = yield* ErrorResponses

    return handlers
      .handle(
        "signup",
        ({ payload, request }) =>
          accounts
            .signup(
              {
                email: payload.email,
                password: payload.password,
                slug: payload.slug,
                name: payload.name ?? null,
                plan: intent(PlanInput, payload.plan),
                period: intent(BillingPeriodInput, payload.period),
                invitation: payload.invitation ?? null,
              },
              clientAddress(request, trustProxy),
            )
            .pipe(
              Effect.map(({ account, mailbox, platformDomain, key, remaining }) =>
                json(
                  {
                    user: {
                      id: account.id,
                      email: account.email,
                      slug: account.slug,
                      platform_domain: platformDomain,
                    },
                    mailbox: { id: mailbox.id, address: mailbox.fullAddress },
                    api_key: { key },
                    email_verified: false,
                    next_steps: {
                      verify_email: `Ask the owner to open the link in the mail to ${account.email}; until then mail can be received but not sent`,
                      create_mailbox: `${mailbox.fullAddress} is ready to receive; POST /v1/mailboxes creates more`,
                    },
                  },
                  { status: 201, headers: { "X-RateLimit-Remaining": String(remaining) } },
                ),
              ),
              answer,
            ),
        { uninterruptible: true },
      )
      .handle("checkSlug", ({ urlParams, request }) =>
        answer(accounts.checkSlug(urlParams.slug, clientAddress(request, trustProxy))),
      )
      .handle(
        "verifyEmail",
        ({ payload, request }) =>
          accounts.verifyEmail(payload.token).pipe(
            Effect.map(({ target }) =>
              fromForm(request)
                ? HttpServerResponse.redirect(`${basePath(baseUrl)}${target}`, { status: 303 })
                : json({ ok: true, target }),
            ),
            Effect.catchTag("InvalidToken", (error) =>
              fromForm(request) ? Effect.succeed(verificationOver(baseUrl)) : error,
            ),
            answerTo(request),
          ),
        { uninterruptible: true },
      )
      .handle(
        "resendVerification",
        ({ payload, request }) =>
          Effect.as(
            accounts.resendVerification(payload.email, clientAddress(request, trustProxy)),
            fromForm(request) ? verificationSent() : json({ ok: true }),
          ),
        { uninterruptible: true },
      )
  }),
)

export const sessionRoutes = group(Api, "session", (handlers) =>
  Effect.gen(function* () {
    const authentication = yield* Authentication
    const passwords = yield* PasswordReset
    const { baseUrl } = yield* Settings
    const { trustProxy } = yield* HttpSettings
    const { answer, answerTo } = yield* ErrorResponses
    const hasDashboard = Option.isSome(yield* DashboardFiles)
    const cookie = sessionCookie(baseUrl)
    const attributes = {
      httpOnly: true,
      sameSite: "lax",
      path: "/",
      secure: baseUrl.startsWith("https:"),
    } as const

    return handlers
      .handle(
        "signIn",
        ({ payload: { email, password }, request }) =>
          Effect.gen(function* () {
            // Another site's page could otherwise sign its visitors in to an account that is not theirs.
            if (foreignOrigin(request, baseUrl)) return yield* new ForeignOrigin()
            const address = clientAddress(request, trustProxy)
            const { session } = yield* authentication.signIn(email, password, address)
            return HttpServerResponse.unsafeSetCookie(json({ ok: true }), cookie, session, {
              ...attributes,
              maxAge: Duration.millis(SESSION_TTL),
            })
          }).pipe(answer),
        { uninterruptible: true },
      )
      .handle(
        "signOut",
        ({ request }) =>
          Effect.gen(function* () {
            const session = request.cookies[cookie]
            // From another site's form the cookie does not come (SameSite), but the response could remove it.
            if (session === undefined) return json({ ok: true })
            if (foreignOrigin(request, baseUrl)) return yield* new ForeignOrigin()
            yield* authentication.signOut(session)
            return HttpServerResponse.unsafeSetCookie(json({ ok: true }), cookie, "", {
              ...attributes,
              maxAge: Duration.zero,
            })
          }).pipe(answer),
        { uninterruptible: true },
      )
      .handle(
        "requestPasswordReset",
        ({ payload, request }) =>
          Effect.as(passwords.request(payload.email, clientAddress(request, trustProxy)), {
            ok: true as const,
          }),
        { uninterruptible: true },
      )
      .handle(
        "resetPassword",
        ({ payload, request }) =>
          passwords.reset(payload.token, payload.password, clientAddress(request, trustProxy)).pipe(
            Effect.as(fromForm(request) ? passwordSet(hasDashboard) : json({ ok: true })),
            Effect.catchTag("InvalidToken", (error) =>
              fromForm(request) ? Effect.succeed(resetOver()) : error,
            ),
            answerTo(request),
          ),
        { uninterruptible: true },
      )
  }),
)
