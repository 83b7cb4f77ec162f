/** A program that receives webhooks. */
import { eventually } from "@mailroom/test-services"
import { Effect, type Scope } from "effect"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { listenLocally } from "./listening.js"

export interface Delivery {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface WebhookReceiver {
  readonly url: string
  /** The deliveries, once there are as many. */
  readonly received: (count: number) => Effect.Effect<ReadonlyArray<Delivery>>
}

/** Answers each delivery with a status of its choice, when it has one. */
export const receiverAnswering = (
  status: () => number | Promise<number>,
): Effect.Effect<WebhookReceiver, never, Scope.Scope> =>
  Effect.gen(function* () {
    const deliveries: Array<Delivery> = []
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        deliveries.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
        void Promise.resolve(status()).then((code) => response.writeHead(code).end())
      })
    })
    const port = yield* listenLocally(server)
    return {
      url: `http://127.0.0.1:${port}/hook`,
      received: (count) =>
        eventually(
          `${count} deliveries are there`,
          Effect.sync(() => deliveries),
          ({ length }) => length >= count,
        ),
    }
  })

export const webhookReceiver = receiverAnswering(() => 204)
