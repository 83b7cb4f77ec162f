/** The names of fields, wherever they are in a body. */
import { Schema } from "effect"

const isRecord = Schema.is(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** Every name once for each place it is at. What is below `headers` is named by whoever wrote the mail. */
export const namesIn = (json: unknown): ReadonlyArray<string> => {
  if (Array.isArray(json)) return json.flatMap(namesIn)
  if (!isRecord(json)) return []
  return Object.entries(json).flatMap(([name, value]) => [
    name,
    ...(name === "headers" ? [] : namesIn(value)),
  ])
}
