/** The headers of a part of a multipart form (RFC 7578 §4; what browsers send: WHATWG HTML, multipart/form-data). */
import { Option } from "effect"

export interface PartHeaders {
  /** of the field */
  readonly name: string
  /** null for a field that is no file */
  readonly filename: string | null
  /** lower-case, without parameters */
  readonly contentType: string
}

const parameter = /\s*;\s*([^\s=;"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/y

const browserEscapes: Readonly<Record<string, string>> = { "%22": '"', "%0D": "\r", "%0A": "\n" }

/** A quoted value: a quote is escaped with a backslash by some senders and as `%22` by browsers. */
const unquoted = (text: string): string =>
  text
    .replace(/\\(["\\])/g, "$1")
    .replace(/%22|%0D|%0A/gi, (escape) => browserEscapes[escape.toUpperCase()] ?? "")

/** The parameters of a `Content-Disposition: form-data`, by their lower-case names; none when it is something else. */
const parametersOf = (disposition: string): Option.Option<ReadonlyMap<string, string>> => {
  const kind = /^\s*form-data\s*(?=;|$)/i.exec(disposition)
  if (kind === null) return Option.none()
  const found = new Map<string, string>()
  let at = kind[0].trimEnd().length
  while (at < disposition.trimEnd().length) {
    parameter.lastIndex = at
    const match = parameter.exec(disposition)
    if (match === null) return Option.none()
    const [whole, name = "", quoted, plain = ""] = match
    found.set(name.toLowerCase(), quoted === undefined ? plain : unquoted(quoted))
    at += whole.length
  }
  return Option.some(found)
}

/** `UTF-8''…` of a `filename*` (RFC 5987 §3.2); none when it is encoded wrongly. */
const extended = (text: string): Option.Option<string> => {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(text) ?? []
  return encoded === undefined ? Option.none() : Option.liftThrowable(decodeURIComponent)(encoded)
}

/** Reads the lines between a boundary and a part's content; none when they do not name a field. */
export const readPartHeaders = (text: string): Option.Option<PartHeaders> => {
  const headers = new Map<string, string>()
  for (const line of text.split("\r\n").filter((one) => one !== "")) {
    const colon = line.indexOf(":")
    if (colon < 1) return Option.none()
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1))
  }
  return Option.gen(function* () {
    const parameters = yield* parametersOf(headers.get("content-disposition") ?? "")
    const name = yield* Option.fromNullable(parameters.get("name"))
    const encoded = parameters.get("filename*")
    const filename = encoded === undefined ? (parameters.get("filename") ?? null) : yield* extended(encoded)
    const type = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? ""
    const unnamed = filename === null ? "text/plain" : "application/octet-stream"
    return { name, filename, contentType: type === "" ? unnamed : type }
  })
}
