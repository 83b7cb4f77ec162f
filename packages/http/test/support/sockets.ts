/** The application on a socket of this machine. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpServer from "@effect/platform/HttpServer"
import { Draining, HttpSettings, MailroomHttp, Readiness } from "@mailroom/http"
import { InMemoryHttp } from "@mailroom/testing"
import { Context, Effect, Layer, Option, Queue, Runtime } from "effect"
import { createServer } from "node:http"
import { engineWith } from "./service.js"

/** Clients of the server that closed their connection before they were answered. */
export class HungUp extends Context.Tag("test/HungUp")<HungUp, Queue.Dequeue<string>>() {}

/** A server that offers the path of each request to `HungUp` when its client hangs up. */
const watchedServer = Layer.unwrapEffect(
  Effect.gen(function* () {
    const hungUp = yield* Queue.unbounded<string>()
    const offer = Runtime.runSync(yield* Effect.runtime())
    const make = () =>
      createServer().on("request", ({ url = "" }, response) =>
        response.on("close", () => response.writableEnded || offer(Queue.offer(hungUp, url))),
      )
    return Layer.merge(
      NodeHttpServer.layer(make, { port: 0, host: "127.0.0.1" }),
      Layer.succeed(HungUp, hungUp),
    )
  }),
)

const listening = MailroomHttp.serve.pipe(
  Layer.provideMerge(watchedServer),
  Layer.provide([
    Layer.succeed(HttpSettings, {
      trustProxy: false,
      developmentOutbox: false,
      adminToken: Option.none(),
      supportEmail: Option.none(),
      docsFolder: Option.none(),
      retired: [],
    }),
    Draining.layer,
    Readiness.layer,
    NodeContext.layer,
  ]),
)

/** One service, on a socket and beside it, some of whose ports are replaced. */
export const worldWith = <O>(ports: Parameters<typeof engineWith<O>>[0]) =>
  Layer.provideMerge(Layer.mergeAll(InMemoryHttp.layerOver, listening), engineWith(ports))

/** One service, on a socket and beside it. */
export const world = worldWith(Layer.empty)

export const serverUrl = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "TcpAddress" ? `http://127.0.0.1:${address.port}` : "",
)
