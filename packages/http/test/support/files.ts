/** The application over a file system, as a server has it: uploads pass through temporary files. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApp from "@effect/platform/HttpApp"
import type * as HttpRouter from "@effect/platform/HttpRouter"
import { Draining, HttpSettings, MailroomHttp, Readiness } from "@mailroom/http"
import { type Answer, InMemoryHttp, InMemoryMailroom } from "@mailroom/testing"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { expectDeclared } from "./contract.js"
import { inOne, type RuleIn, type Service } from "./service.js"

export interface Upload {
  readonly key?: string
  readonly cookie?: string
  readonly body: FormData | ReadableStream<Uint8Array> | string
  readonly type?: string
  /** `/v1/attachments` unless given */
  readonly path?: string
}

/** Posts a form. */
export class Uploads extends Context.Tag("test/Uploads")<
  Uploads,
  (upload: Upload) => Effect.Effect<Answer>
>() {}

const parse = Schema.decodeUnknownOption(Schema.parseJson())

const uploads = Layer.effect(
  Uploads,
  Effect.gen(function* () {
    const app = yield* HttpApiBuilder.httpApp
    const runtime = yield* Effect.runtime<HttpRouter.HttpRouter.DefaultServices>()
    const respond = HttpApp.toWebHandlerRuntime(runtime)(app)
    return ({ key, cookie, body, type, path = "/v1/attachments" }) =>
      Effect.promise(async () => {
        const response = await respond(
          new Request(`http://mailroom.test${path}`, {
            method: "POST",
            body,
            headers: {
              ...(key !== undefined && { authorization: `Bearer ${key}` }),
              ...(cookie !== undefined && { cookie }),
              ...(type !== undefined && { "content-type": type }),
            },
            duplex: "half",
          }),
        )
        const text = await response.text()
        const json = parse(text)
        const answer: Answer = {
          status: response.status,
          headers: response.headers,
          text,
          json: json._tag === "Some" ? json.value : undefined,
        }
        expectDeclared(`POST ${path}`, answer)
        return answer
      })
  }),
).pipe(
  Layer.provide([HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer, NodeHttpServer.layerContext]),
  Layer.provide(MailroomHttp.app),
  Layer.provide(MailroomHttp.settings),
  Layer.provide([
    Layer.succeed(HttpSettings, {
      trustProxy: false,
      developmentOutbox: false,
      adminToken: Option.none(),
      supportEmail: Option.none(),
      docsFolder: Option.none(),
      retired: [],
    }),
    Readiness.layer,
    Draining.layer,
    NodeHttpServer.layerContext,
  ]),
)

/** Tests of uploads that share a service: forms come through a file system, everything else as ever. */
export const inOneUploadService = (rules: (rule: RuleIn<Service | Uploads>) => void): void =>
  inOne(
    Layer.mergeAll(InMemoryHttp.layerOver, uploads).pipe(Layer.provideMerge(InMemoryMailroom.layer())),
    rules,
  )
