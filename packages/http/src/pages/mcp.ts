/**
 * `POST /mcp`: the tools of `@mailroom/mcp` for the bearer of an API key (docs/decisions/0074). The tools call this application in
 * the same process with the same key, so every rule of the interface holds for them. The package and the protocol library are
 * loaded by the first request, because a process should not pay for them at its start.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApp from "@effect/platform/HttpApp"
import type * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { type BodySize, wireErrors } from "@mailroom/api"
import { SizeExceeded, Unauthenticated } from "@mailroom/domain"
import { Authentication, computedOnce, Settings } from "@mailroom/engine"
import { Effect } from "effect"
import { bearerKey } from "../access.js"
import { RequestBodies } from "../bodies/RequestBodies.js"
import { Draining } from "../Draining.js"
import { accessDenied, ErrorResponses } from "../errors.js"
import { json } from "../json.js"

/** A call: a mail with files of text, which has fewer than 500 values. A batch has as many calls as fit. */
const mcpBody: BodySize = { maxBytes: 4 * 1024 * 1024, maxValues: 1_000 }

/** UTF-16 units of the URL of a call: what a socket takes of a request's head (`maxHeaderSize` of Node). */
const URL_MAX_CHARS = 16 * 1024
const longUrl = new SizeExceeded({ what: "the query", limitBytes: URL_MAX_CHARS })

const PATH = "/mcp"
const METADATA_PATH = "/.well-known/oauth-protected-resource"

/** Describes `/mcp` to clients (RFC 9728). It names no authorization server: keys come from `POST /v1/api-keys`. */
const metadata = (baseUrl: string) => ({
  resource: `${baseUrl}${PATH}`,
  resource_name: "Mailroom",
  resource_documentation: `${baseUrl}/llms.txt`,
  bearer_methods_supported: ["header"],
})

type InProcess = (request: Request) => Promise<Response>

export const mcpPage = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { baseUrl, billing } = yield* Settings
    const authentication = yield* Authentication
    const bodies = yield* RequestBodies
    const { respond } = yield* ErrorResponses
    const wire = wireErrors({ baseUrl, billing })

    // The application as a function of web requests, with what this layer has: nothing of the request that comes first. That
    // request builds it, because later layers have not added their routes yet.
    const runtime = yield* Effect.runtime<
      HttpApi.Api | HttpApiBuilder.Router | HttpApiBuilder.Middleware | HttpRouter.HttpRouter.DefaultServices
    >()
    const application: Effect.Effect<InProcess> = yield* computedOnce(
      HttpApiBuilder.httpApp.pipe(Effect.map(HttpApp.toWebHandlerRuntime(runtime)), Effect.provide(runtime)),
    )

    // Subscriptions outlive the fiber of their request.
    const stopping = new AbortController()
    yield* (yield* Draining).listen(() => stopping.abort())

    const challenge = `Bearer resource_metadata="${baseUrl}${METADATA_PATH}${PATH}"`
    // `error` only for a credential that was sent (RFC 6750 section 3.1).
    const unauthenticated = (error: Unauthenticated) =>
      HttpServerResponse.setHeader(
        accessDenied(wire.Unauthenticated(error)),
        "WWW-Authenticate",
        error.reason === "missing" ? challenge : `${challenge}, error="invalid_token"`,
      )

    const foreignOrigin = () =>
      accessDenied({
        ...wire.ForeignOrigin(),
        error: `Requests of web pages must come from ${baseUrl}`,
      })
    /** Whether a browser sent a request from a page of another origin. `Host` does not count: DNS rebinding forges it. */
    const ownOrigin = new URL(baseUrl).origin
    const isForeign = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
      headers["origin"] !== undefined && headers["origin"] !== ownOrigin

    const serve = Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest,
      apiKey: string,
      body: string,
    ) {
      const respondInProcess = yield* application
      const response = yield* Effect.promise(async (signal) => {
        const { handleRequest } = await import("@mailroom/mcp")
        const { method, headers } = request
        const { "content-length": _, ...rest } = headers
        const caller = {
          apiKey,
          baseUrl,
          fetch: async (url: string, init: RequestInit) =>
            url.length > URL_MAX_CHARS
              ? HttpServerResponse.toWeb(respond(longUrl))
              : respondInProcess(new Request(url, init)),
        }
        return handleRequest(
          new Request(`${baseUrl}${PATH}`, { method, headers: rest, body, signal }),
          caller,
          stopping.signal,
        )
      })
      return HttpServerResponse.fromWeb(response)
    })

    const answer = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (isForeign(request)) return foreignOrigin()
      const apiKey = bearerKey(request)
      if (apiKey === null) return unauthenticated(new Unauthenticated({ reason: "missing" }))
      const { account } = yield* authentication.byKey(apiKey)
      const sender = { known: true, id: account.id }
      return yield* Effect.matchEffect(bodies.text(request, sender, mcpBody), {
        onFailure: (refusal) => Effect.succeed(respond(refusal)),
        onSuccess: (body) => serve(request, apiKey, body),
      })
    }).pipe(Effect.catchTag("Unauthenticated", (error) => Effect.succeed(unauthenticated(error))))

    yield* router.post(PATH, answer)
    const described = Effect.succeed(json(metadata(baseUrl)))
    yield* router.get(METADATA_PATH, described)
    yield* router.get(`${METADATA_PATH}${PATH}`, described)
  }),
)
