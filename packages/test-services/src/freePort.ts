/** A free port, for servers that must know each other's port before they listen. */
import { Effect } from "effect"
import { createServer } from "node:net"

/** A loopback port without a listener. Use it soon: another process may take it. */
export const freePort = Effect.async<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})
