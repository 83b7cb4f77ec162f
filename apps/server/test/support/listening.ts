import { Effect, type Scope } from "effect"
import type { Server } from "node:net"

/** The port that the server got on 127.0.0.1. It is closed with the scope. */
export const listenLocally = (server: Server): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.async<void>((resume) => {
        if ("closeAllConnections" in server && typeof server.closeAllConnections === "function")
          server.closeAllConnections()
        server.close(() => resume(Effect.void))
      }),
  )
