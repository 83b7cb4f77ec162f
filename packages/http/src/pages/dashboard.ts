/** The dashboard: its files, and the page that starts it at each of its addresses (docs/decisions/0077). */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { escapeHtml } from "@mailroom/domain"
import { Settings } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { type Dashboard, type DashboardAsset, DashboardFiles } from "../DashboardFiles.js"
import { HttpSettings } from "../HttpSettings.js"
import { clientAddress, isLoopback } from "../requests.js"
import { unknownPath } from "../unknownPath.js"
import { pageHeaders } from "./headers.js"
import { mailFrame } from "./mailFrame.js"
import { plainDashboard } from "./plainDashboard.js"

/** The addresses of the dashboard's pages, as the router writes them. */
export const dashboardPaths = [
  "/signup",
  "/signin",
  "/verify",
  "/reset",
  "/onboarding",
  "/dashboard",
  "/dashboard/*",
  "/operator",
  "/operator/*",
] as const

const AssetPath = HttpRouter.schemaPathParams(Schema.Struct({ name: Schema.String }))

/** Frames show mail (`mailFrame.ts`), `blob:` images its pictures; nothing comes from outside. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** The best encoding of a file that the client takes. A weight of 0 refuses one. */
const encodedFor = (accepted: string, { content, brotli, gzip }: DashboardAsset) => {
  const takes = (name: string) =>
    accepted
      .split(",")
      .some((part) => new RegExp(`^\\s*${name}\\s*(?:;\\s*q=(?!0(?:\\.0*)?\\s*$).*)?$`, "i").test(part))
  if (takes("br")) return { body: brotli, headers: { "content-encoding": "br" } }
  return takes("gzip")
    ? { body: gzip, headers: { "content-encoding": "gzip" } }
    : { body: content, headers: {} }
}

/** The addresses of a dashboard. */
const routesOf = ({ assets, shell }: Dashboard) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const { baseUrl, billing, platformDomain, signup } = yield* Settings
      const { developmentOutbox, supportEmail, trustProxy } = yield* HttpSettings

      /** The page for a client: only one on this machine may read the outbox. */
      const page = (outbox: boolean) => {
        const settings = {
          baseUrl,
          platformDomain,
          billing,
          signup,
          outbox,
          support: Option.isSome(supportEmail),
        }
        const meta = `<meta name="mailroom" content="${escapeHtml(JSON.stringify(settings))}">`
        return HttpServerResponse.html(shell.replace("<!-- settings -->", () => meta)).pipe(
          HttpServerResponse.setHeaders({
            ...pageHeaders,
            "cache-control": "no-cache",
            "content-security-policy": POLICY,
          }),
        )
      }
      const pages = { withOutbox: page(true), without: page(false) }
      const shown = Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
        developmentOutbox && isLoopback(clientAddress(request, trustProxy))
          ? pages.withOutbox
          : pages.without,
      )

      const asset = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { name } = yield* Effect.orDie(AssetPath)
        const found = assets.get(name)
        if (found === undefined) return unknownPath(baseUrl, request)
        const encoded = encodedFor(request.headers["accept-encoding"] ?? "", found)
        return HttpServerResponse.uint8Array(encoded.body, {
          contentType: found.contentType,
          headers: {
            ...pageHeaders,
            ...encoded.headers,
            "cache-control": "public, max-age=31536000, immutable",
            vary: "accept-encoding",
          },
        })
      })

      for (const path of dashboardPaths) yield* router.get(path, shown)
      yield* router.get("/assets/:name", asset)
    }),
  )

export const dashboardPages = Layer.unwrapEffect(
  Effect.map(
    DashboardFiles,
    Option.match({
      onNone: () => plainDashboard,
      onSome: (files) => Layer.merge(routesOf(files), mailFrame),
    }),
  ),
)
