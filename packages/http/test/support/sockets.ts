/** The application on a socket of this machine. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpServer from "@effect/platform/HttpServer"
import { Draining, HttpSettings, MailroomHttp, Readiness } from "@mailroom/http"
import { InMemoryHttp, InMemoryMailroom } from "@mailroom/testing"
import { Effect, Layer, Option } from "effect"
import { createServer } from "node:http"

const listening = MailroomHttp.serve.pipe(
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
  Layer.provide([
    Layer.succeed(HttpSettings, {
      trustProxy: false,
      developmentOutbox: false,
      adminToken: Option.none(),
      retired: [],
    }),
    Draining.layer,
    Readiness.layer,
    NodeContext.layer,
  ]),
)

/** One service, on a socket and beside it. */
export const world = Layer.mergeAll(InMemoryHttp.layerOver, listening).pipe(
  Layer.provideMerge(InMemoryMailroom.layer()),
)

export const serverUrl = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "TcpAddress" ? `http://127.0.0.1:${address.port}` : "",
)
