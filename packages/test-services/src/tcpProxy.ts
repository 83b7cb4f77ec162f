/** A proxy before a server: closed, it is as if the network were gone; held, as if nobody answered. */
import { Effect, type Scope } from "effect"
import { connect, createServer, type Socket } from "node:net"
import { Transform } from "node:stream"

export type ProxyState = "open" | "closed" | "held"

export interface TcpProxy {
  readonly port: number
  /** `closed` ends every connection and takes no more; `held` passes nothing on, in either direction. */
  readonly set: (state: ProxyState) => void
}

/**
 * Passes on what comes to a port of its own, until the scope closes. `listen` makes for each connection what hears each
 * chunk from the client and calls `pass` to pass it on, at once or later. `cutsAt` sees each answer of the server: where
 * it is true, the connection ends and the client does not get that answer.
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
        const hear = listen()
        const questions = new Transform({
          transform: (chunk: Buffer, _, pass) => hear(chunk, () => pass(null, chunk)),
        })
        add(outside).pipe(questions).pipe(inside)
        const answers = new Transform({
          transform: (answer: Buffer, _, pass) =>
            cutsAt(answer) ? pass(new Error("the connection is cut here")) : pass(null, answer),
        })
        answers.on("error", () => inside.destroy())
        inside.pipe(answers).pipe(outside)
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
