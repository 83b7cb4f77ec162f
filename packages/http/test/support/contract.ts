/**
 * Answers held against the contract: every status has to be declared for its endpoint, in the OpenAPI document too, and
 * every JSON body has to fit the schema declared for that status, without a field that is not declared.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { Api, Conflict, openApiDocument } from "@mailroom/api"
import { type Answer, type Call, InMemoryHttp } from "@mailroom/testing"
import { Context, Effect, Either, Option, Schema } from "effect"
import { expect } from "vitest"

interface Declared {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly matches: RegExp
  /** whether the OpenAPI document tells of it */
  readonly isPublic: boolean
  /** by status: how a body is judged; null when there is none, or none that is JSON */
  readonly bodies: ReadonlyMap<number, ((body: unknown) => Either.Either<unknown, unknown>) | null>
}

const judge = (ast: Option.Option<Schema.Schema.Any["ast"]>) =>
  Option.match(ast, {
    onNone: () => null,
    onSome: (found) =>
      Schema.decodeUnknownEither(Schema.make<unknown, unknown>(found), { onExcessProperty: "error" }),
  })

const collect = (): ReadonlyArray<Declared> => {
  const found: Array<Declared> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ group, endpoint, mergedAnnotations, successes, errors }) => {
      found.push({
        name: `${group.identifier}.${endpoint.name}`,
        method: endpoint.method,
        path: endpoint.path.replace(/:([A-Za-z]+)/g, "{$1}"),
        matches: new RegExp(`^${endpoint.path.replace(/:[A-Za-z]+/g, "[^/]+")}$`),
        bodies: new Map([
          // What an `Idempotency-Key` may answer is in the document only.
          [409, judge(Option.some(Conflict.ast))],
          ...[...errors, ...successes].map(([status, { ast }]) => [status, judge(ast)] as const),
        ]),
        isPublic: !Context.get(mergedAnnotations, OpenApi.Exclude),
      })
    },
  })
  return found
}

/** Every endpoint of the contract. */
export const endpoints = collect()

const Paths = Schema.Record({
  key: Schema.String,
  value: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ responses: Schema.Record({ key: Schema.String, value: Schema.Unknown }) }),
  }),
})

/** What the served document says: `pages.test.ts` holds that it is this one. */
const documented = Schema.decodeUnknownSync(Paths)(
  openApiDocument({ baseUrl: "http://mailroom.test", headerPrefix: "X-Service-" }).paths,
)

const parameters = ({ path }: Declared): number => path.split("{").length

/** The endpoint a request goes to: a path without parameters comes before one that matches too. */
export const endpointOf = (target: string): Declared => {
  const [method = "", url = ""] = target.split(" ")
  const path = url.split("?")[0] ?? ""
  const [found] = endpoints
    .filter((one) => one.method === method && one.matches.test(path))
    .sort((a, b) => parameters(a) - parameters(b))
  if (found === undefined) throw new Error(`${target} is not in the contract`)
  return found
}

export const expectDeclared = (target: string, answer: Answer): void => {
  const { name, method, path, isPublic, bodies } = endpointOf(target)
  const where = `${name} answered ${answer.status} ${answer.text.slice(0, 300)}`
  const responses = documented[path]?.[method.toLowerCase()]?.responses ?? {}
  const statuses = isPublic ? Object.keys(responses).map(Number) : [...bodies.keys()]
  expect(statuses, where).toContain(answer.status)
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true
  const body = bodies.get(answer.status) ?? null
  if (isJson && body !== null) expect(Either.getLeft(body(answer.json)), where).toEqual(Option.none())
}

/** Calls an endpoint of the contract and holds its answer against it. */
export const ask = (target: string, call?: Call): Effect.Effect<Answer, never, InMemoryHttp> =>
  Effect.tap(
    Effect.flatMap(InMemoryHttp, (http) => http.call(target, call)),
    (answer) => Effect.sync(() => expectDeclared(target, answer)),
  )

/** The body of an answer, typed. */
export const read =
  <A, I>(schema: Schema.Schema<A, I>) =>
  (answer: Answer): A =>
    Schema.decodeUnknownSync(schema)(answer.json)
