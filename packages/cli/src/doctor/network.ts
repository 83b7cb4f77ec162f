/** What checks ask of the network. Tests of the checks answer for DNS. */
import { Context, Effect } from "effect"
import { resolve4, resolve6, resolveMx, resolveTxt, reverse } from "node:dns/promises"
import { connect, type Socket } from "node:net"
import { connect as connectTls, type DetailedPeerCertificate, type TLSSocket } from "node:tls"
import { once } from "node:events"

/** Milliseconds that a connection or an answer may take. */
const PATIENCE = 8_000

const ABSENT: ReadonlySet<unknown> = new Set(["ENODATA", "ENOTFOUND"])

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ABSENT.has(error.code)

/** The addresses of all lookups. Rejects when none has an address, and one failed for another reason than that there is none. */
export const allAddresses = async (
  lookups: ReadonlyArray<Promise<ReadonlyArray<string>>>,
): Promise<ReadonlyArray<string>> => {
  const settled = await Promise.allSettled(lookups)
  const found = settled.flatMap((one) => (one.status === "fulfilled" ? one.value : []))
  const failed = settled.find((one) => one.status === "rejected" && !isAbsent(one.reason))
  if (found.length === 0 && failed?.status === "rejected") throw failed.reason
  return found
}

/** DNS. A name or type that does not exist is an empty list; other failures reject. */
export class Dns extends Context.Reference<Dns>()("@mailroom/cli/Dns", {
  defaultValue: () => ({
    mx: (name: string) => resolveMx(name),
    /** the strings of each record, joined */
    txt: async (name: string) => (await resolveTxt(name)).map((parts) => parts.join("")),
    /** IPv4 and IPv6 */
    addresses: (name: string) => allAddresses([resolve4(name), resolve6(name)]),
    names: (address: string) => reverse(address),
  }),
}) {}

/** The answer of DNS; none for a name that does not exist; null when no server answers. */
export const answer = <A>(ask: () => Promise<ReadonlyArray<A>>): Effect.Effect<ReadonlyArray<A> | null> =>
  Effect.promise(() => ask().catch((error: unknown) => (isAbsent(error) ? [] : null)))

export interface PeerCertificate {
  readonly validTo: number
  /** why it is not trusted; null if it is */
  readonly reason: string | null
}

const certificateOf = (socket: TLSSocket): PeerCertificate => {
  const certificate: DetailedPeerCertificate = socket.getPeerCertificate(true)
  return {
    validTo: Date.parse(certificate.valid_to),
    reason: socket.authorized ? null : String(socket.authorizationError),
  }
}

const tlsOver = async (options: { socket?: Socket; host?: string; port?: number; servername: string }) => {
  const socket = connectTls({ ...options, rejectUnauthorized: false })
  socket.setTimeout(PATIENCE, () => socket.destroy(new Error("No answer in time.")))
  try {
    await once(socket, "secureConnect")
    return certificateOf(socket)
  } finally {
    socket.destroy()
  }
}

/** The certificate of an HTTPS server. Rejects when there is no connection. */
export const httpsCertificate = (host: string, port: number): Promise<PeerCertificate> =>
  tlsOver({ host, port, servername: host })

export interface SmtpServer {
  readonly banner: string
  /** null: the server offers no STARTTLS */
  readonly certificate: PeerCertificate | null
}

/** Reads an SMTP reply, which ends with a line whose code a space follows (RFC 5321 §4.2.1). */
const reply = async (socket: Socket): Promise<string> => {
  const closed = new AbortController()
  const close = () => closed.abort()
  socket.once("close", close)
  try {
    let text = ""
    while (!/^\d{3}(?: .*)?\r?\n$/m.test(text)) {
      const [chunk] = await once(socket, "data", { signal: closed.signal })
      text += String(chunk)
    }
    return text
  } catch (error) {
    throw closed.signal.aborted ? new Error("the server closed the connection") : error
  } finally {
    socket.off("close", close)
  }
}

/** Says EHLO to an SMTP server, and begins TLS if it is offered. Rejects when there is no connection. */
export const smtpServer = async (host: string, port: number): Promise<SmtpServer> => {
  const socket = connect({ host, port })
  socket.setTimeout(PATIENCE, () => socket.destroy(new Error("No answer in time.")))
  try {
    const banner = await reply(socket)
    socket.write("EHLO doctor.invalid\r\n")
    const offers = await reply(socket)
    if (!/^250[- ]STARTTLS/im.test(offers)) {
      socket.write("QUIT\r\n")
      return { banner, certificate: null }
    }
    socket.write("STARTTLS\r\n")
    await reply(socket)
    return { banner, certificate: await tlsOver({ socket, servername: host }) }
  } finally {
    socket.destroy()
  }
}

/** A text by HTTPS; null if it cannot be fetched. */
export const fetchedText = (url: string): Effect.Effect<string | null> =>
  Effect.promise(async () => {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE), redirect: "error" })
      return response.ok ? await response.text() : null
    } catch {
      return null
    }
  })

export const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
