/** The headers of a part of a multipart form (RFC 7578 §4; what browsers send: WHATWG HTML, multipart/form-data). */
import { Option } from "effect"

export interface PartHeaders {
  /** name of the field */
  readonly name: string
  /** file name as the client wrote it; empty when the client has none, null when the part carries no such parameter */
  readonly filename: string | null
  /** lower-case, without parameters; null when the part has no Content-Type */
  readonly contentType: string | null
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

/** The name in a `filename*` such as `UTF-8''a%20b.txt` (RFC 8187 §3.2); null when it is encoded wrongly. */
const extended = (text: string): string | null => {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(text) ?? []
  return encoded === undefined ? null : Option.getOrNull(Option.liftThrowable(decodeURIComponent)(encoded))
}

/**
 * `filename*` before `filename` (RFC 6266 §4.3). A `filename*` that cannot be decoded counts as absent: the file is
 * worth more than its name.
 */
const filenameOf = (parameters: ReadonlyMap<string, string>): string | null => {
  const plain = parameters.get("filename")
  const encoded = parameters.get("filename*")
  return (encoded === undefined ? null : extended(encoded)) ?? plain ?? (encoded === undefined ? null : "")
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
    const type = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? ""
    return { name, filename: filenameOf(parameters), contentType: type === "" ? null : type }
  })
}
