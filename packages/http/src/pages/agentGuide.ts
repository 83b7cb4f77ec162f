/** `/llms.txt`: the interface on a page for language models (llmstxt.org). */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import { Api } from "@mailroom/api"
import { Settings } from "@mailroom/engine"
import { Context, Effect, Option } from "effect"

const titleOf = (group: HttpApiGroup.HttpApiGroup.AnyWithProps): string =>
  Option.getOrElse(Context.getOption(group.annotations, OpenApi.Title), () => group.identifier)

const endpointList = (): string => {
  const sections = new Map<string, Array<string>>()
  HttpApi.reflect(Api, {
    onGroup: ({ group }) => void sections.set(titleOf(group), []),
    onEndpoint: ({ group, endpoint }) => {
      const path = endpoint.path.replace(/:([A-Za-z]+)/g, "{$1}")
      const summary = Option.getOrElse(Context.getOption(endpoint.annotations, OpenApi.Summary), () => "")
      sections.get(titleOf(group))?.push(`- \`${endpoint.method} ${path}\`: ${summary}`)
    },
  })
  return [...sections].map(([title, lines]) => `## ${title}\n\n${lines.join("\n")}\n`).join("\n")
}

/** Every endpoint of the contract, under the title of its group. */
const endpoints = endpointList()

const guide = (baseUrl: string): string => `# Mailroom

> Mailboxes for software agents: sign up over HTTP, get a real address, receive mail by event stream or signed webhook, answer in the same thread.

JSON in and out. Send \`Authorization: Bearer mr_…\` with everything but signup. Every error is \`{error, code, …}\`; \`upgrade\` in it means that paying would lift it.

1. \`POST ${baseUrl}/v1/signup\` with \`{"email", "password", "slug"}\`: the answer holds the key, once. The owner gets a mail to verify the address; until then mail is received, not sent.
2. \`GET ${baseUrl}/v1/mailboxes\`: the account starts with \`agent@{slug}.{platform domain}\`.
3. \`GET ${baseUrl}/v1/events\` (server-sent events) or \`POST ${baseUrl}/v1/webhooks\` to hear of mail; \`GET /v1/mailboxes/{id}/messages\` to read it.
4. \`POST /v1/mailboxes/{id}/messages/{msgId}/reply\` to answer, \`POST /v1/mailboxes/{id}/messages\` to write first.

- [OpenAPI 3.1 description](${baseUrl}/openapi.json)
- [Reference to read](${baseUrl}/docs)

${endpoints}`

export const agentGuide = HttpApiBuilder.Router.use((router) =>
  Effect.flatMap(Settings, ({ baseUrl }) => {
    const text = guide(baseUrl)
    return router.get("/llms.txt", Effect.succeed(HttpServerResponse.text(text)))
  }),
)
