/** Where the relay is and how to log in: `smtp://…` or `smtps://user:password@host:port` (decisions §1). */
import { parseUrl } from "@mailroom/domain"
import { Data, Either } from "effect"

export interface RelayAddress {
  readonly host: string
  readonly port: number
  /** TLS from the first byte */
  readonly secure: boolean
  readonly login: { readonly user: string; readonly pass: string } | null
}

/** Says what is wrong, never what was given: it may hold a password. */
export class RelayUrlInvalid extends Data.TaggedError("RelayUrlInvalid")<{ readonly reason: string }> {}

const decoded = (text: string): Either.Either<string, RelayUrlInvalid> =>
  Either.try({
    try: () => decodeURIComponent(text),
    catch: () => new RelayUrlInvalid({ reason: "user and password must be percent-encoded" }),
  })

export const parseRelayUrl = (text: string): Either.Either<RelayAddress, RelayUrlInvalid> =>
  Either.gen(function* () {
    const url = parseUrl(text)
    if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "")
      return yield* Either.left(
        new RelayUrlInvalid({ reason: "must be smtp://host:port or smtps://host:port" }),
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
