/** Pages behind the links in mails (decisions §4). */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Schema } from "effect"
import { page } from "./html.js"

const LinkQuery = HttpServerRequest.schemaSearchParams(Schema.Struct({ token: Schema.String }))

const incomplete = page("This link is incomplete", "<p>Open the whole link from the mail.</p>", 400)

/** What is shown for the token of a link. Opening it changes nothing: scanners follow links too. */
export const linkPage = (show: (token: string) => HttpServerResponse.HttpServerResponse) =>
  LinkQuery.pipe(
    Effect.map(({ token }) => show(token)),
    Effect.catchTag("ParseError", () => Effect.succeed(incomplete)),
  )
