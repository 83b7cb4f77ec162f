/** The dashboard: its files, and the page that starts it at each of its addresses (docs/decisions/0077). */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { escapeHtml, plans } from "@mailroom/domain"
import { Settings } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { sessionCookie } from "../access.js"
import { type Dashboard, type DashboardAsset, DashboardFiles, type DashboardPage } from "../DashboardFiles.js"
import { acceptsEncoding } from "../encodings.js"
import { HttpSettings } from "../HttpSettings.js"
import { isLocalClient } from "../requests.js"
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

/** A file in the best coding that the client takes. */
const encodedFor = (
  request: HttpServerRequest.HttpServerRequest,
  { content, brotli, gzip }: DashboardAsset,
) => {
  if (acceptsEncoding(request, "br")) return { body: brotli, headers: { "content-encoding": "br" } }
  return acceptsEncoding(request, "gzip")
    ? { body: gzip, headers: { "content-encoding": "gzip" } }
    : { body: content, headers: {} }
}

const scriptLinks = (names: ReadonlyArray<string>): string =>
  names.map((name) => `<link rel="modulepreload" href="/assets/${name}">`).join("\n")

const dataLinks = (urls: ReadonlyArray<string>): string =>
  urls.map((url) => `<link rel="preload" as="fetch" href="${escapeHtml(url)}" crossorigin>`).join("\n")

/** The links by which a browser asks at once for what the page would ask for after its script has started (docs/decisions/0077). */
const preloadsOf = ({ scripts, data, dataOfQuery }: DashboardPage) => {
  const strangers = scriptLinks(scripts)
  const owners = `${strangers}\n${dataLinks(data)}`
  const ownersOfQuery = `${strangers}\n${dataLinks(dataOfQuery)}`
  return (isSignedIn: boolean, hasQuery: boolean): string => {
    if (!isSignedIn) return strangers
    return hasQuery ? ownersOfQuery : owners
  }
}

const noPreloads = (): string => ""

/** The addresses of a dashboard. */
const routesOf = ({ assets, pages, shell }: Dashboard) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const { baseUrl, billing, platformDomain, signup } = yield* Settings
      const { developmentOutbox, supportEmail, trustProxy } = yield* HttpSettings

      /** The page for a client: only one on this machine may read the outbox. */
      const settingsFor = (outbox: boolean): string => {
        const settings = {
          baseUrl,
          platformDomain,
          billing,
          signup,
          plans,
          outbox,
          support: Option.isSome(supportEmail),
        }
        const meta = `<meta name="mailroom" content="${escapeHtml(JSON.stringify(settings))}">`
        return shell.replace("<!-- settings -->", () => meta)
      }
      const shells = { withOutbox: settingsFor(true), without: settingsFor(false) }
      const cookie = sessionCookie(baseUrl)
      const shown = (preloads: (isSignedIn: boolean, hasQuery: boolean) => string) =>
        Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
          const mayReadOutbox = developmentOutbox && isLocalClient(request, trustProxy, baseUrl)
          const links = preloads(request.cookies[cookie] !== undefined, request.url.includes("?"))
          const html = (mayReadOutbox ? shells.withOutbox : shells.without).replace(
            "<!-- preloads -->",
            () => links,
          )
          return HttpServerResponse.html(html).pipe(
            HttpServerResponse.setHeaders({
              ...pageHeaders,
              "cache-control": "no-cache",
              "content-security-policy": POLICY,
            }),
          )
        })

      const asset = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { name } = yield* Effect.orDie(AssetPath)
        const found = assets.get(name)
        if (found === undefined) return unknownPath(baseUrl, request)
        const encoded = encodedFor(request, found)
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

      for (const page of pages) yield* router.get(page.path, shown(preloadsOf(page)))
      const known = new Set<string>(pages.map(({ path }) => path))
      for (const path of dashboardPaths) if (!known.has(path)) yield* router.get(path, shown(noPreloads))
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
