/** The mechanisms of AUTH (RFC 4954): PLAIN (RFC 4616), and LOGIN, which many clients prefer. */
import { Redacted } from "effect"
import {
  badSignIn,
  continueSignIn,
  type Reply,
  signInCancelled,
  unknownMechanism,
} from "../receiving/replies.js"

export interface Credentials {
  readonly user: string
  readonly password: Redacted.Redacted
}

/** The next step of a sign-in: the client is asked for a line, has told its credentials, or has failed. */
export type AuthStep =
  | { readonly kind: "ask"; readonly reply: Reply; readonly next: (line: string) => AuthStep }
  | ({ readonly kind: "credentials" } & Credentials)
  | { readonly kind: "failed"; readonly reply: Reply }

const failed = (reply: Reply): AuthStep => ({ kind: "failed", reply })

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The text of a base64 line; null when it is none. */
const decoded = (line: string): string | null =>
  base64.test(line) ? Buffer.from(line, "base64").toString("utf8") : null

const credentials = (user: string, password: string): AuthStep =>
  user === "" || password === ""
    ? failed(badSignIn)
    : { kind: "credentials", user, password: Redacted.make(password) }

/** Asks for a line, unless the command has brought it. `=` is an empty initial response (RFC 4954 §4). */
const ask = (challenge: string, given: string | undefined, next: (text: string) => AuthStep): AuthStep => {
  const take = (line: string): AuthStep => {
    if (line === "*") return failed(signInCancelled)
    const text = decoded(line)
    return text === null ? failed(badSignIn) : next(text)
  }
  if (given !== undefined) return take(given === "=" ? "" : given)
  const reply = continueSignIn(Buffer.from(challenge).toString("base64"))
  return { kind: "ask", reply, next: take }
}

/** `authorization identity NUL user NUL password`; the first is empty or the user (RFC 4616 §2). */
const plain = (text: string): AuthStep => {
  const [identity, user, password, ...more] = text.split("\0")
  if (identity === undefined || user === undefined || password === undefined || more.length > 0)
    return failed(badSignIn)
  return identity === "" || identity === user ? credentials(user, password) : failed(badSignIn)
}

/** Begins a sign-in. `words`: those after AUTH, the mechanism and an initial response. */
export const beginAuth = ([mechanism, given, ...more]: ReadonlyArray<string>): AuthStep => {
  if (more.length > 0) return failed(badSignIn)
  switch (mechanism?.toUpperCase()) {
    case "PLAIN":
      return ask("", given, plain)
    case "LOGIN":
      return ask("Username:", given, (user) =>
        ask("Password:", undefined, (password) => credentials(user, password)),
      )
    default:
      return failed(unknownMechanism)
  }
}
