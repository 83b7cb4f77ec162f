/** Listens on loopback, and notes who calls: what came first on each connection. */
import { Effect, type Scope } from "effect"
import { createServer, type Socket } from "node:net"

export interface Listener {
  readonly port: number
  /** the first bytes of each connection, such as `GET /a.png HTTP/1.1`; those of TLS as they are */
  readonly calls: ReadonlyArray<string>
}

export const listen: Effect.Effect<Listener, never, Scope.Scope> = Effect.acquireRelease(
  Effect.async<Listener & { readonly close: () => void }>((resume) => {
    const calls: Array<string> = []
    const open = new Set<Socket>()
    const server = createServer((socket) => {
      open.add(socket)
      socket.on("close", () => open.delete(socket))
      socket.on("error", () => socket.destroy())
      socket.once("data", (bytes) => {
        calls.push(bytes.toString("latin1"))
        socket.end("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const close = () => {
        for (const socket of open) socket.destroy()
        server.close()
      }
      resume(Effect.succeed({ port, calls, close }))
    })
  }),
  ({ close }) => Effect.sync(close),
)
