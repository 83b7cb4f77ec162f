/** Where the relay is, and how to open a connection to it. */
import { parseUrl } from "@mailroom/domain"
import { Data, Effect, Either, type Option } from "effect"
import SMTPConnection from "nodemailer/lib/smtp-connection"
import { type AttemptFailed, unavailable } from "./relayErrors.js"

export interface RelayAddress {
  readonly host: string
  readonly port: number
  /** TLS from the first byte */
  readonly secure: boolean
  readonly login: { readonly user: string; readonly pass: string } | null
}

/** `reason` and `message` never quote the URL, which may hold a password. */
export class RelayUrlInvalid extends Data.TaggedError("RelayUrlInvalid")<{ readonly reason: string }> {
  override readonly message: string = `This is not a relay's address: ${this.reason}.`
}

const decoded = (text: string): Either.Either<string, RelayUrlInvalid> =>
  Either.try({
    try: () => decodeURIComponent(text),
    catch: () => new RelayUrlInvalid({ reason: "user and password must be percent-encoded" }),
  })

/** `smtp://…` or `smtps://user:password@host:port`. The default port is 25, with TLS 465. */
export const parseRelayUrl = (text: string): Either.Either<RelayAddress, RelayUrlInvalid> =>
  Either.gen(function* () {
    const url = parseUrl(text)
    if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "")
      return yield* Either.left(
        new RelayUrlInvalid({
          reason:
            "it must be smtp://user:password@host:port or smtps://…, with user and password percent-encoded or absent",
        }),
      )
    const secure = url.protocol === "smtps:"
    const user = yield* decoded(url.username)
    const pass = yield* decoded(url.password)
    return {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port === "" ? (secure ? 465 : 25) : Number(url.port),
      secure,
      login: user === "" ? null : { user, pass },
    }
  })

/** Milliseconds to wait for TCP and TLS, for the greeting, for each later reply, and for the relay to read more of a message. */
export interface RelayTimeouts {
  readonly connect: number
  readonly greeting: number
  readonly socket: number
  readonly data: number
}

export interface RelayConnection {
  readonly smtp: SMTPConnection
  readonly isOpen: () => boolean
  /** EHLO keywords in capitals (RFC 5321 §4.1.1.1), after STARTTLS those of the second EHLO */
  readonly extensions: ReadonlySet<string>
  /** Limits the silence of the relay from now on: between commands, while it reads a message, or not at all after its end. */
  readonly limitSilence: (stage: "command" | "data" | "end") => void
  /** Ends the session with QUIT, if the connection is open. */
  readonly close: () => void
}

export interface ConnectionOptions {
  readonly name: Option.Option<string>
  readonly timeouts: RelayTimeouts
  readonly requireTls: boolean
  /** certificate authorities in PEM, in place of Node's */
  readonly authorities: Option.Option<string>
}

/** The first line of the reply is the relay's name. */
const keywordsOf = (reply: string): ReadonlySet<string> =>
  new Set(
    reply
      .split("\n")
      .slice(1)
      .flatMap((line) => /^\d{3}[ -]([a-z0-9-]+)/i.exec(line)?.[1]?.toUpperCase() ?? []),
  )

/** Connects, waits for the greeting and logs in. */
export const openConnection = (
  address: RelayAddress,
  options: ConnectionOptions,
): Effect.Effect<RelayConnection, AttemptFailed> =>
  Effect.async((resume) => {
    let open = true
    const smtp = new SMTPConnection({
      host: address.host,
      port: address.port,
      secure: address.secure,
      requireTLS: options.requireTls,
      connectionTimeout: options.timeouts.connect,
      greetingTimeout: options.timeouts.greeting,
      dnsTimeout: options.timeouts.connect,
      socketTimeout: options.timeouts.socket,
      ...(options.name._tag === "Some" && { name: options.name.value }),
      ...(options.authorities._tag === "Some" && { tls: { ca: options.authorities.value } }),
    })
    const failed = (error: unknown) => {
      if (!open) return
      open = false
      smtp.close()
      resume(Effect.fail(unavailable(error)))
    }
    smtp.on("error", failed)
    smtp.once("end", () => failed(new Error("connection closed")))
    smtp.connect((error) => {
      if (error) return failed(error)
      const extensions = keywordsOf(smtp.lastServerResponse || "")
      const close = () => (open ? smtp.quit() : smtp.close())
      const silence = { command: options.timeouts.socket, data: options.timeouts.data, end: 0 }
      const limitSilence: RelayConnection["limitSilence"] = (stage) => {
        if (smtp._socket) smtp._socket.setTimeout(silence[stage])
      }
      const ready = () =>
        resume(Effect.succeed({ smtp, isOpen: () => open, extensions, limitSilence, close }))
      if (address.login === null) return ready()
      smtp.login(address.login, (refusal) => (refusal ? failed(refusal) : ready()))
    })
    return Effect.sync(() => smtp.close())
  })
