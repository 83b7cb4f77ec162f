/** The table of all routes: the methods of a path, and the check of a request's headers and query parameters. */
import { FindMyWay } from "@effect/platform/HttpLayerRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { type Contract, endpointsOf, IgnoresUnknown } from "@mailroom/api"
import { type Issue, ISSUES_MAX, issuesOf, unknownName, UNSUBSCRIBE_PATH } from "@mailroom/domain"
import { Context, Either, Option, Schema, SchemaAST } from "effect"
import { pathOf } from "./requests.js"

interface Encoded {
  readonly ast: SchemaAST.AST
}
interface Endpoint {
  readonly urlParamsSchema: Option.Option<Encoded>
  readonly headersSchema: Option.Option<Encoded>
}
type Request = Pick<HttpServerRequest.HttpServerRequest, "method" | "url" | "headers">

/**
 * Names each query parameter that an endpoint does not know (docs/decisions/0057). `annotations` are those of the endpoint,
 * merged with those of its group.
 */
export const unknownParameters = (
  { urlParamsSchema }: Endpoint,
  annotations: Context.Context<never>,
): ((url: string) => ReadonlyArray<Issue>) => {
  if (Context.get(annotations, IgnoresUnknown)) return () => []
  const known: ReadonlyArray<string> = Option.match(urlParamsSchema, {
    onNone: () => [],
    onSome: ({ ast }) => SchemaAST.getPropertySignatures(ast).map(({ name }) => String(name)),
  })
  return (url) => {
    const start = url.indexOf("?")
    if (start === -1) return []
    const names = new Set(new URLSearchParams(url.slice(start + 1)).keys())
    return [...names]
      .filter((name) => !known.includes(name))
      .slice(0, ISSUES_MAX)
      .map((name) => ({ path: name.slice(0, 64), message: unknownName(name, known) }))
  }
}

/** The issues of a value that a schema decodes. */
const issuesBy = ({ ast }: Encoded, value: unknown): ReadonlyArray<Issue> =>
  Either.match(Schema.decodeUnknownEither(Schema.make<unknown, unknown>(ast), { errors: "all" })(value), {
    onLeft: ({ issue }) => issuesOf(issue),
    onRight: () => [],
  })

const queryOf = (url: string) => HttpServerRequest.searchParamsFromURL(new URL(url, "http://localhost"))

type Check = (request: Request) => ReadonlyArray<Issue>

/** Names everything that is wrong with the headers and the query of a request to an endpoint. */
const parameterCheck = (endpoint: Endpoint, annotations: Context.Context<never>): Check => {
  const { headersSchema, urlParamsSchema } = endpoint
  const unknown = unknownParameters(endpoint, annotations)
  return ({ headers, url }) => [
    ...Option.match(headersSchema, { onNone: () => [], onSome: (schema) => issuesBy(schema, headers) }),
    ...Option.match(urlParamsSchema, {
      onNone: () => [],
      onSome: (schema) => issuesBy(schema, queryOf(url)),
    }),
    ...unknown(url),
  ]
}

/** The routes beside the contract: pages, documents, health. A test compares them with those of the router. */
const pages: ReadonlyArray<readonly [method: string, path: string]> = [
  ["GET", "/"],
  ["GET", "/healthz"],
  ["GET", "/readyz"],
  ["GET", "/openapi.json"],
  ["GET", "/docs"],
  ["GET", "/docs/*"],
  ["GET", "/llms.txt"],
  ["POST", "/mcp"],
  ["GET", "/.well-known/oauth-protected-resource"],
  ["GET", "/.well-known/oauth-protected-resource/mcp"],
  ["GET", "/llms-full.txt"],
  ["GET", "/skill.md"],
  ["GET", "/metrics"],
  ["GET", "/v1/auth/verify-email"],
  ["GET", "/reset-password"],
  ["GET", "/checkout/:token"],
  ["POST", "/checkout/:token/complete"],
  ["GET", "/dev/outbox"],
  ["GET", `${UNSUBSCRIBE_PATH}:token`],
  ["POST", `${UNSUBSCRIBE_PATH}:token`],
]

/** The addresses that mails lead to, whether or not there is a dashboard. */
const plainPaths = ["/onboarding", "/dashboard", "/dashboard/billing"]

export interface RouteTable {
  /** The methods of a URL's path; null when nothing has that path. HEAD is allowed wherever GET is. */
  readonly allowed: (url: string) => ReadonlyArray<string> | null
  /** The path of a request's route as the contract writes it, such as `/v1/mailboxes/:id`; null when there is no such route. */
  readonly template: (request: Request) => string | null
  /** All that is wrong with the headers and the query of a request; nothing when no route has its path and method. */
  readonly parameterIssues: Check
}

interface Route {
  readonly path: string
  readonly check: Check
}

interface Extent<Name extends string> {
  /** groups of the contract that are not served */
  readonly closed?: ReadonlyArray<NoInfer<Name>>
  /** further paths of pages */
  readonly pages?: ReadonlyArray<string>
}

/** The routes of the contract and of the pages. */
export const routeTable = <Name extends string>(
  api: Contract<Name>,
  { closed = [], pages: others = plainPaths }: Extent<Name> = {},
): RouteTable => {
  const router = FindMyWay.make<Map<string, Route>>({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    maxParamLength: 1000,
  })
  const byShape = new Map<string, Map<string, Route>>()
  const add = (method: string, path: string, check: Check) => {
    const shape = path.replace(/:[A-Za-z]+/g, ":param")
    const methods = byShape.get(shape) ?? new Map<string, Route>()
    if (!byShape.has(shape)) router.on("GET", `/${shape.replace(/^\//, "")}`, methods)
    byShape.set(shape, methods.set(method, { path, check }))
  }
  for (const [method, path] of pages) add(method, path, () => [])
  for (const path of others) add("GET", path, () => [])
  const closedGroups = new Set<string>(closed)
  for (const { group, endpoint, annotations } of endpointsOf(api))
    if (!closedGroups.has(group.identifier))
      add(endpoint.method, endpoint.path, parameterCheck(endpoint, annotations))
  const methodsAt = (url: string) => router.find("GET", pathOf(url))?.handler ?? null
  const routeOf = ({ method, url }: Request) => methodsAt(url)?.get(method === "HEAD" ? "GET" : method)
  return {
    allowed: (url) => {
      const methods = methodsAt(url)
      return (
        methods && [...methods.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
      )
    },
    template: (request) => routeOf(request)?.path ?? null,
    parameterIssues: (request) => routeOf(request)?.check(request) ?? [],
  }
}
