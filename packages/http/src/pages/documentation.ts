/** `/openapi.json`, the OpenAPI description, and `/docs`, the documentation (spec: decisions.pages.openapi; docs/decisions/0078). */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { openApiDocument } from "@mailroom/api"
import { computedOnce, Settings } from "@mailroom/engine"
import { Effect, Layer, Option } from "effect"
import { acceptsEncoding, compressedOnce } from "../encodings.js"
import { HttpSettings } from "../HttpSettings.js"
import { json } from "../json.js"
import { pathOf, takesPages } from "../requests.js"
import { unknownPath } from "../unknownPath.js"
import { type DocsEntry, openDocsSite } from "./DocsSite.js"

/** Made at the first request. */
const description = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const settings = yield* Settings
    const document = yield* computedOnce(
      Effect.suspend(() => compressedOnce(json(openApiDocument(settings)))),
    )
    yield* router.get(
      "/openapi.json",
      Effect.zipWith(document, HttpServerRequest.HttpServerRequest, (encoded, request) => encoded(request)),
    )
  }),
)

/** Pages have no inline script or style, and load nothing from elsewhere. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** Assets keep for a year, because a change gives them another name; pages are asked for again each time. */
const cacheControl = ({ immutable }: DocsEntry): string =>
  immutable ? "public, max-age=31536000, immutable" : "no-cache"

/** The two forms of a file have different bytes, so each has its own ETag. */
const etagOf = ({ etag }: DocsEntry, compressed: boolean): string =>
  compressed ? `"${etag}-gzip"` : `"${etag}"`

const headersOf = (entry: DocsEntry, compressed: boolean) => ({
  "cache-control": cacheControl(entry),
  "content-security-policy": CONTENT_SECURITY_POLICY,
  etag: etagOf(entry, compressed),
  "referrer-policy": "no-referrer",
  vary: "accept-encoding",
  "x-content-type-options": "nosniff",
  ...(compressed && { "content-encoding": "gzip" }),
})

/** Whether `If-None-Match` names the ETag (RFC 9110 §13.1.2). */
const isKnown = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)

/** The path below `/docs/`, without a slash at its end. */
const pageOf = (url: string): string =>
  pathOf(url)
    .replace(/^\/docs\/?/, "")
    .replace(/\/$/, "")

/** Answers from the site in this folder. */
const servedFrom = (folder: string, baseUrl: string) =>
  Effect.gen(function* () {
    const site = yield* computedOnce(openDocsSite(folder))
    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { find, read } = yield* site
      const found = find(pageOf(request.url))
      const entry = Option.orElse(found, () => (takesPages(request) ? find("404") : Option.none()))
      if (Option.isNone(entry)) return unknownPath(baseUrl, request)
      const compressed = acceptsEncoding(request, "gzip")
      const headers = headersOf(entry.value, compressed)
      const status = Option.isSome(found) ? 200 : 404
      if (status === 200 && isKnown(request.headers["if-none-match"] ?? "", headers.etag))
        return HttpServerResponse.empty({ status: 304, headers })
      const bytes = yield* read(entry.value, compressed)
      return HttpServerResponse.uint8Array(bytes, { status, headers, contentType: entry.value.type })
    })
  })

const unknown = (baseUrl: string) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => unknownPath(baseUrl, request))

const docs = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { docsFolder } = yield* HttpSettings
    const { baseUrl } = yield* Settings
    const page = Option.isSome(docsFolder) ? yield* servedFrom(docsFolder.value, baseUrl) : unknown(baseUrl)
    yield* router.get("/docs", page)
    yield* router.get("/docs/*", page)
  }),
)

export const documentation = Layer.merge(description, docs)
