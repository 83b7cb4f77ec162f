/** A response of the service, and access to its JSON. */
import { Schema } from "effect"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
  readonly text: string
  /** the body, when it is JSON */
  readonly json: unknown
}

const parse = Schema.decodeUnknownOption(Schema.parseJson())

/** Reads the body to its end. */
export const readAnswer = async (response: Response): Promise<Answer> => {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  const json = parse(text)
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    text,
    json: json._tag === "Some" ? json.value : undefined,
  }
}

const isRecord = Schema.is(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** The value at a path such as `messages.0.id`; the empty path is the whole value. */
export const valueAt = (json: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((found, name) => {
    if (name === "") return found
    if (Array.isArray(found)) return found[Number(name)]
    return isRecord(found) ? found[name] : undefined
  }, json)

const at =
  <A>(is: (value: unknown) => value is A, what: string) =>
  (json: unknown, path: string): A => {
    const value = valueAt(json, path)
    if (is(value)) return value
    throw new Error(`${path} is no ${what} in ${JSON.stringify(json)?.slice(0, 500)}`)
  }

export const textAt = at(Schema.is(Schema.String), "text")
export const numberAt = at(Schema.is(Schema.Number), "number")
export const listAt = at(Schema.is(Schema.Array(Schema.Unknown)), "list")
/** The names of an object's fields, sorted. */
export const fieldsAt = (json: unknown, path: string): ReadonlyArray<string> =>
  Object.keys(at(isRecord, "object")(json, path)).sort()

/** All field names, once for each place. Skips the content of `headers`, whose names come from the mail. */
export const namesIn = (json: unknown): ReadonlyArray<string> => {
  if (Array.isArray(json)) return json.flatMap(namesIn)
  if (!isRecord(json)) return []
  return Object.entries(json).flatMap(([name, value]) => [
    name,
    ...(name === "headers" ? [] : namesIn(value)),
  ])
}
