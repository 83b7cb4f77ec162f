/** Links from mails: what they carry, and what is shown when that is missing (decisions §4). */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Schema } from "effect"
import { page } from "./html.js"

export const LinkQuery = HttpServerRequest.schemaSearchParams(Schema.Struct({ token: Schema.String }))

export const incompleteLink = page(
  "This link is incomplete",
  "<p>Open the whole link from the mail.</p>",
  400,
)
