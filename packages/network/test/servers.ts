/** Servers on loopback that act as receivers of webhooks. */
import { AccountId } from "@mailroom/domain"
import { Effect, type Scope } from "effect"
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { createServer, type Server, type Socket } from "node:net"

/** Accounts whose webhooks are posted. */
export const account = AccountId.make("00000000-0000-7000-8000-000000000001")
export const otherAccount = AccountId.make("00000000-0000-7000-8000-000000000002")

export interface Listening {
  readonly port: number
  /** connections accepted so far */
  readonly connections: () => number
  readonly open: () => number
}

const listen = (server: Server, host: string): Effect.Effect<Listening, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let connections = 0
    server.on("connection", (socket: Socket) => {
      connections++
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => {
        server.listen(0, host, () => resume(Effect.void))
      }),
      () =>
        Effect.async<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const socket of sockets) socket.destroy()
        }),
    )
    const address = server.address()
    if (address === null || typeof address === "string") return yield* Effect.dieMessage("not listening")
    return { port: address.port, connections: () => connections, open: () => sockets.size }
  })

export const listenHttp = (answer: RequestListener, keepAliveTimeout = 60_000) =>
  Effect.suspend(() => listen(createHttpServer({ keepAliveTimeout }, answer), "127.0.0.1"))

export const listenHttps = (answer: RequestListener) =>
  Effect.suspend(() => listen(createHttpsServer(selfSigned, answer), "127.0.0.1"))

/** A TCP server, by default on every address of this machine. */
export const listenTcp = (serve: (socket: Socket) => void, host = "::") =>
  Effect.suspend(() => listen(createServer(serve), host))

/** Answers a request after reading its body. */
export const withBody =
  (answer: (message: IncomingMessage, body: string, response: ServerResponse) => void): RequestListener =>
  (message, response) => {
    let body = ""
    message.setEncoding("utf8")
    message.on("data", (part: string) => {
      body += part
    })
    message.on("end", () => answer(message, body, response))
  }

/** A self-signed certificate for `receiver.test`, and its key. For these tests only. */
const selfSigned = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBoTCCAUegAwIBAgIUJ5MUrhln9yagR9LzD+GaZ05L01owCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDAgFw0yNjExMjAxMjQzMjdaGA8yMTI2
MTAyNzEyNDMyN1owGDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABJJmoIdi5NHwnpcGmuKiPdvNqbehLFHS6eyRrjDfQdS+
6Jj3R3CkGRBkQ9FUla+uVAJnCZxAg+1mP/4DhmNaYQKjbTBrMB0GA1UdDgQWBBQb
pF441OyXxZiK4w7OmsVIQbMD9jAfBgNVHSMEGDAWgBQbpF441OyXxZiK4w7OmsVI
QbMD9jAPBgNVHRMBAf8EBTADAQH/MBgGA1UdEQQRMA+CDXJlY2VpdmVyLnRlc3Qw
CgYIKoZIzj0EAwIDSAAwRQIgaNV2khNwlk8Zm+UNXSn1Tfls8GGSA9yfKYqyecVa
EgUCIQCX8wtDttaUh7rdtOcF0F4P+UPRZKl8sepLLgK6dIKRTg==
-----END CERTIFICATE-----`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgU936JAoqqNAljpFD
KAoojeN4hc8vTSjVhwlNfTsgB56hRANCAASSZqCHYuTR8J6XBprioj3bzam3oSxR
0unska4w30HUvuiY90dwpBkQZEPRVJWvrlQCZwmcQIPtZj/+A4ZjWmEC
-----END PRIVATE KEY-----`,
}
