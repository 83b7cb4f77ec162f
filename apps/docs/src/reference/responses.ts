/** The responses that the test of the reference has recorded from a service, in `apps/docs/responses.json`. */
import { Schema } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../site/root.js"

export const Recorded = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({ status: Schema.Number, contentType: Schema.String, body: Schema.String }),
})
export type Recorded = typeof Recorded.Type

export const recordedFile = join(root, "apps/docs/responses.json")

export const recordedResponses = (): Recorded =>
  existsSync(recordedFile)
    ? Schema.decodeUnknownSync(Schema.parseJson(Recorded))(readFileSync(recordedFile, "utf8"))
    : {}
