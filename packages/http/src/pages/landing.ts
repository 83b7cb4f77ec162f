/** The page at `/`: what the service is, with links to its documents. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { escapeHtml } from "@mailroom/domain"
import { Settings } from "@mailroom/engine"
import { Effect } from "effect"
import { clientAddress, isLoopback } from "../requests.js"
import { HttpSettings } from "../HttpSettings.js"
import { page } from "./html.js"

const link = (path: string, what: string): string => `<li><a href="${path}">${path}</a>: ${what}</li>`

const outboxLink = link("/dev/outbox", "mail that would have been sent (no relay is configured)")

const landing = (platformDomain: string, showsOutbox: boolean) =>
  page(
    "Mailboxes for software agents",
    `<p>An agent signs up here, gets an address below <code>${escapeHtml(platformDomain)}</code>, receives mail by event ` +
      "stream or webhook, reads it as JSON, and answers in the same thread.</p><ul>" +
      link("/docs", "guides, and every endpoint with examples") +
      link("/openapi.json", "every endpoint for programs") +
      link("/llms.txt", "every endpoint for language models") +
      (showsOutbox ? outboxLink : "") +
      "</ul>",
  )

export const landingPage = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { developmentOutbox, trustProxy } = yield* HttpSettings
    const { platformDomain } = yield* Settings
    const shown = Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
      landing(platformDomain, developmentOutbox && isLoopback(clientAddress(request, trustProxy))),
    )
    yield* router.get("/", shown)
  }),
)
