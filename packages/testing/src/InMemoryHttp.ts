/** The HTTP application without a socket, in the runtime of the test, so that `TestClock` and seeded ids apply. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApp from "@effect/platform/HttpApp"
import type * as HttpRouter from "@effect/platform/HttpRouter"
import { Draining, HttpSettings, MailroomHttp, Readiness, routerServices } from "@mailroom/http"
import { type EngineSettings, inOrder } from "@mailroom/engine"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { InMemoryMailroom } from "./InMemoryMailroom.js"

/** Bearer token of the operator's routes. */
export const ADMIN_TOKEN = "the-operators-token-of-tests"

export interface Call {
  readonly key?: string
  readonly cookie?: string
  /** text and forms are sent as they are, other values as JSON */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** the decoded body; undefined when it is not JSON */
  readonly json: unknown
}

const parse = Schema.decodeUnknownOption(Schema.parseJson())

const bodyOf = (body: unknown): { readonly body?: string | FormData; readonly type?: string } => {
  if (body === undefined) return {}
  if (body instanceof FormData) return { body }
  return { body: typeof body === "string" ? body : JSON.stringify(body), type: "application/json" }
}

export class InMemoryHttp extends Context.Tag("@mailroom/testing/InMemoryHttp")<
  InMemoryHttp,
  {
    /** Sends a request and reads the response. `target`: method and path, such as `GET /v1/account`. */
    readonly call: (target: string, call?: Call) => Effect.Effect<Answer>
    /** Sends a request and returns the response with its body unread, for streams. */
    readonly open: (target: string, call?: Call) => Effect.Effect<Response>
    /** As the global `fetch`, for clients that take one. The host of the URL is ignored. */
    readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  }
>() {
  /** Needs the application. */
  private static readonly overApp = Layer.scoped(
    InMemoryHttp,
    Effect.gen(function* () {
      const app = yield* HttpApiBuilder.httpApp
      // As over a socket, a request starts with only the services that the router needs.
      const runtime = yield* Effect.mapInputContext(
        Effect.runtime<HttpRouter.HttpRouter.DefaultServices>(),
        (all: Context.Context<HttpRouter.HttpRouter.DefaultServices>) => routerServices(all),
      )
      const respond = HttpApp.toWebHandlerRuntime(runtime)(app)
      const open = (target: string, { key, cookie, body, headers }: Call = {}) =>
        Effect.promise(() => {
          const [method = "GET", path = "/"] = target.split(" ")
          const { body: content, type } = bodyOf(body)
          return respond(
            new Request(`http://mailroom.test${path}`, {
              method,
              ...(content !== undefined && { body: content }),
              headers: {
                ...(key !== undefined && { authorization: `Bearer ${key}` }),
                ...(cookie !== undefined && { cookie }),
                ...(type !== undefined && { "content-type": type }),
                ...headers,
              },
            }),
          )
        })
      const call = (target: string, options?: Call) =>
        Effect.flatMap(open(target, options), (response) =>
          Effect.map(
            Effect.promise(() => response.text()),
            (text): Answer => {
              const json = parse(text)
              return {
                status: response.status,
                headers: response.headers,
                text,
                json: json._tag === "Some" ? json.value : undefined,
              }
            },
          ),
        )
      const fetch = (url: string, init?: RequestInit) => respond(new Request(url, init))
      return { open, call, fetch }
    }),
  )

  /** Needs an engine. `http`: settings that differ from the defaults of tests. */
  static readonly layerWith = (http: Partial<HttpSettings["Type"]>) =>
    inOrder(
      Draining.layer,
      Readiness.layer,
      Layer.provide(
        InMemoryHttp.overApp,
        inOrder(
          Layer.succeed(HttpSettings, {
            trustProxy: true,
            developmentOutbox: true,
            retired: [],
            adminToken: Option.some(Redacted.make(ADMIN_TOKEN)),
            supportEmail: Option.none(),
            docsFolder: Option.none(),
            ...http,
          }),
          NodeHttpServer.layerContext,
          MailroomHttp.settings,
          MailroomHttp.app,
          HttpApiBuilder.Router.Live,
          HttpApiBuilder.Middleware.layer,
        ),
      ),
    )

  static readonly layerOver = InMemoryHttp.layerWith({})

  /** On a whole engine in memory. */
  static readonly layer = (
    settings: Partial<EngineSettings> = {},
    http: Partial<HttpSettings["Type"]> = {},
  ) => inOrder(InMemoryMailroom.layer(settings), InMemoryHttp.layerWith(http))
}
