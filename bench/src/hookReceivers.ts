/** Receivers of a flood of webhooks, in a process of their own: quick, slow or silent, by the path that is posted to. */
import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { Schema } from "effect"
import { service } from "./harness/tasks.js"

/** Milliseconds until the slow one answers. */
const SLOW = 1000

service(Schema.Struct({}), async () => {
  const server = createServer((request, response) => {
    request.resume()
    request.on("end", () => {
      if (request.url === "/quick") response.end()
      if (request.url === "/slow") void sleep(SLOW).then(() => response.end())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return { port: typeof address === "object" && address !== null ? address.port : 0 }
})
