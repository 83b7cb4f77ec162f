/** What the end of an embedded Mailroom leaves for its next start (docs/embedding.md). */
import { describe, expect, it } from "@effect/vitest"
import { WebhookDeliveries, Webhooks } from "@mailroom/engine"
import { NodeMailroom } from "@mailroom/node"
import { temporaryFolder } from "@mailroom/test-services"
import { Effect, Layer } from "effect"
import { EmbeddedAccount, Mailroom } from "mailroom"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { engineSettings } from "../src/options.js"

/** A receiver of webhooks that answers a request when the test says so. */
const receiver = Effect.gen(function* () {
  const requests: Array<ServerResponse> = []
  const server = createServer((_, response) => requests.push(response))
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
    () => Effect.sync(() => server.close().closeAllConnections()),
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}/`, requests, requested: once(server, "request") }
})

/** A Mailroom on the folder; its end begins with `closing`. */
const mailroom = (folder: string, closing: () => void) =>
  Layer.scopedDiscard(Effect.addFinalizer(() => Effect.sync(closing))).pipe(
    Layer.provideMerge(Mailroom.over("agents.acme.dev")),
    Layer.provideMerge(
      NodeMailroom.layer(
        { ...engineSettings({}), webhookAllowPrivate: true },
        NodeMailroom.inFolder(folder, { kind: "capture" }),
      ),
    ),
  )

describe("the end of an embedded Mailroom", () => {
  it.scopedLive("waits for a request to a webhook, whose answer counts at the next start", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { url, requests, requested } = yield* receiver
      const wanted = { url, events: ["message.received"], mailboxId: null, headers: null } as const
      const answer = () => requests[0]?.writeHead(204).end()
      const webhookId = yield* Effect.gen(function* () {
        const { principal } = yield* EmbeddedAccount
        const { webhook } = yield* Effect.flatMap(Webhooks, ({ create }) => create(principal, wanted))
        yield* Effect.flatMap(WebhookDeliveries, ({ test }) => test(principal, webhook.id, null))
        yield* Effect.promise(() => requested)
        return webhook.id
      }).pipe(Effect.provide(mailroom(folder, answer)))

      const { deliveries } = yield* Effect.gen(function* () {
        const { principal } = yield* EmbeddedAccount
        return yield* Effect.flatMap(WebhookDeliveries, ({ list }) =>
          list(principal, webhookId, { status: null, before: null, limit: 10 }),
        )
      }).pipe(Effect.provide(mailroom(folder, () => undefined)))
      expect(deliveries).toMatchObject([{ status: "DELIVERED", attempts: 1 }])
      expect(requests).toHaveLength(1)
    }),
  )
})
