/** A port of this machine, for two servers that have to know each other's before either listens. */
import { Effect } from "effect"
import { createServer } from "node:net"

/** Nobody listens there now; somebody else may, if much time passes. */
export const freePort = Effect.async<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})
