/** A TCP proxy in front of a server, to simulate an outage (closed) and a server that does not answer (held). */
import { Effect, type Scope } from "effect"
import { connect, createServer, type Socket } from "node:net"
import { Transform } from "node:stream"

export type ProxyState = "open" | "closed" | "held"

export interface TcpProxy {
  readonly port: number
  /** `closed` closes all connections and refuses new ones; `held` forwards nothing in either direction. */
  readonly set: (state: ProxyState) => void
}

/**
 * Forwards a loopback port to a server until the scope closes. `listen` runs for each connection; its result gets each
 * chunk from the client, and calls `pass` to forward it, now or later. `cutsAt` gets each chunk from the server. If it
 * returns true, the proxy drops that chunk and closes the connection.
 */
export const tcpProxyTo = (
  host: string,
  port: number,
  listen: () => (chunk: Buffer, pass: () => void) => void = () => (_, pass) => pass(),
  cutsAt: (answer: Buffer) => boolean = () => false,
): Effect.Effect<TcpProxy, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<TcpProxy & { readonly close: () => void }>((resume) => {
      let state: ProxyState = "open"
      const sockets = new Set<Socket>()
      const add = (socket: Socket) => {
        sockets.add(socket)
        socket.on("error", () => {}).on("close", () => sockets.delete(socket))
        if (state === "held") socket.pause()
        return socket
      }
      const server = createServer({ noDelay: true }, (outside) => {
        if (state === "closed") return void outside.destroy()
        const inside = add(connect({ port, host, noDelay: true }))
        const onChunk = listen()
        const requests = new Transform({
          transform: (chunk: Buffer, _, pass) => onChunk(chunk, () => pass(null, chunk)),
        })
        add(outside).pipe(requests).pipe(inside)
        const responses = new Transform({
          transform: (answer: Buffer, _, pass) =>
            cutsAt(answer) ? pass(new Error("the proxy closes the connection here")) : pass(null, answer),
        })
        responses.on("error", () => inside.destroy())
        inside.pipe(responses).pipe(outside)
        outside.on("close", () => inside.destroy())
        inside.on("close", () => outside.destroy())
        if (state === "held") for (const socket of [inside, outside]) socket.pause()
      })
      const set = (next: ProxyState) => {
        state = next
        for (const socket of sockets) {
          if (next === "closed") socket.destroy()
          if (next === "held") socket.pause()
          if (next === "open") socket.resume()
        }
      }
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const own = typeof address === "object" && address !== null ? address.port : 0
        const close = () => {
          set("closed")
          server.close()
        }
        resume(Effect.succeed({ port: own, set, close }))
      })
    }),
    ({ close }) => Effect.sync(close),
  )
