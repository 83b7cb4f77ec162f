/** A response without what differs between two runs, as `apps/docs/responses.json` keeps it. */
import { Schema } from "effect"

const replacements: ReadonlyArray<readonly [RegExp, string]> = [
  [/http:\/\/(?:localhost|127\.0\.0\.1):\d+/g, "http://localhost:3000"],
  [/reader-\d+/g, "acme"],
  [/mr_[0-9a-f]{20,}/g, `mr_${"5e1f".repeat(8)}`],
  [/"mr_[0-9a-f]{4,19}"/g, '"mr_5e1f5e1f"'],
  [/whsec_[A-Za-z0-9+/=_-]+/g, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  [/signature=[A-Za-z0-9_-]+/g, "signature=3b7f…"],
  [/expires=\d+/g, "expires=1767355200"],
  [/\/checkout\/[A-Za-z0-9_-]+/g, "/checkout/8d1c…"],
  [/\b[0-9a-f]{64}\b/g, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "2026-07-01T12:00:00.000Z"],
  [/figures-\d+@/g, "figures@"],
  [/lunch-\d+@/g, "lunch@"],
]

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Other ids, in the order in which they come. */
const withoutIds = (text: string): string => {
  const ids = new Map<string, string>()
  return text.replace(uuid, (id) => {
    const known = ids.get(id) ?? `01990000-0000-7000-8000-${String(ids.size + 1).padStart(12, "0")}`
    ids.set(id, known)
    return known
  })
}

/** Items of a list that are shown. */
const SHOWN = 1

const isList = Schema.is(Schema.Array(Schema.Unknown))
const isObject = Schema.is(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

const isListOfObjects = (value: ReadonlyArray<unknown>): boolean => value.some(isObject)

const shortened = (value: unknown): unknown => {
  if (isList(value)) return (isListOfObjects(value) ? value.slice(0, SHOWN) : value).map(shortened)
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner)]))
  return value
}

const json = Schema.parseJson()
const parse = Schema.decodeUnknownSync(json)

export const normalized = (body: string, contentType: string): string => {
  const short = contentType.includes("json") ? JSON.stringify(shortened(parse(body))) : body
  return withoutIds(replacements.reduce((text, [pattern, value]) => text.replace(pattern, value), short))
}

/** The names of the fields, two levels deep: what a recorded response and a new one have in common. */
export const fieldNames = (body: string, contentType: string): ReadonlyArray<string> => {
  if (!contentType.includes("json")) return []
  const value = parse(body)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    isObject(inner) ? [name, ...Object.keys(inner).map((field) => `${name}.${field}`)] : [name],
  )
}
