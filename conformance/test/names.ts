/** Field names in a body. */
import { Schema } from "effect"

const isRecord = Schema.is(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** All field names, once for each place. Skips the content of `headers`, whose names come from the mail. */
export const namesIn = (json: unknown): ReadonlyArray<string> => {
  if (Array.isArray(json)) return json.flatMap(namesIn)
  if (!isRecord(json)) return []
  return Object.entries(json).flatMap(([name, value]) => [
    name,
    ...(name === "headers" ? [] : namesIn(value)),
  ])
}
