/** The OpenAPI document as the service serves it (spec, Versioning 5; decisions §4): the contract, and what goes with it. */
import * as OpenApi from "@effect/platform/OpenApi"
import { Api } from "./Api.js"
import { eventNames, eventSchema } from "./events.js"
import { formSchemas, withForm } from "./forms.js"
import { isReplayed, keyConflict, keyParameter, replayedHeader } from "./idempotency.js"

export interface Service {
  /** public address, without a trailing slash */
  readonly baseUrl: string
  /** of the service's own headers, such as `X-Service-` */
  readonly headerPrefix: string
}

type Operation = OpenApi.OpenAPISpecOperation

interface Header {
  readonly description: string
  readonly schema: { readonly type: "string" | "integer"; readonly enum?: ReadonlyArray<string> }
}
type Headers = Readonly<Record<string, Header>>

const retryAfter: Headers = {
  "Retry-After": { description: "seconds until it makes sense to ask again", schema: { type: "integer" } },
}

/** spec, Quota headers; INBOUND_LIMIT_EXCEEDED response */
const headersOf = (prefix: string) => {
  const quota: Headers = {
    [`${prefix}Inbound-Quota`]: {
      description: "received and allowed, `<count>/<limit>` or `<count>/unlimited`",
      schema: { type: "string" },
    },
    [`${prefix}Inbound-Warning`]: {
      description: "from 50, 80 and 100 percent on; absent below",
      schema: { type: "string", enum: ["approaching", "near", "reached"] },
    },
  }
  const gated: Headers = {
    ...retryAfter,
    [`${prefix}Retriable`]: {
      description: "`false`: trying again changes nothing before the reset",
      schema: { type: "string", enum: ["false"] },
    },
    [`${prefix}Reset-At`]: { description: "when the month turns", schema: { type: "string" } },
  }
  const signups: Headers = {
    "X-RateLimit-Remaining": {
      description: "signups this address has left in the hour",
      schema: { type: "integer" },
    },
  }
  return { quota, gated, signups }
}

const needsCaller = ({ security }: Operation): boolean => security.length > 0

/** The headers that an answer of an operation can carry. */
const responseHeaders = (prefix: string) => {
  const { quota, gated, signups } = headersOf(prefix)
  return (operation: Operation, method: string, status: string, isStream: boolean): Headers => ({
    ...(needsCaller(operation) && status !== "401" && !isStream && quota),
    ...(status === "402" && gated),
    ...((status === "409" || status === "429" || status === "503") && retryAfter),
    ...(needsCaller(operation) && method === "post" && isReplayed(status) && replayedHeader),
    ...(operation.operationId === "signup.signup" && status === "201" && signups),
  })
}

/** What a body that may be left out looks like: the contract reads none as `null`. */
const isOptionalBody = ({ requestBody }: Operation): boolean =>
  JSON.stringify(requestBody?.content["application/json"]?.schema ?? null).includes('{"type":"null"}')

const complete = (prefix: string) => {
  const headersFor = responseHeaders(prefix)
  return (method: string, operation: Operation) => {
    const heedsKeys = method === "post" && needsCaller(operation)
    const answers = { ...(heedsKeys && { 409: keyConflict }), ...operation.responses }
    const responses = Object.entries(answers).map(([status, response]) => {
      const isStream = Object.keys(response.content ?? {}).includes("text/event-stream")
      const headers = headersFor(operation, method, status, isStream)
      const description = response.description === "Success" ? operation.summary : response.description
      return [status, { ...response, description, headers }] as const
    })
    return {
      ...operation,
      parameters: heedsKeys ? [...operation.parameters, keyParameter] : operation.parameters,
      responses: Object.fromEntries(responses),
      ...(operation.requestBody !== undefined && {
        requestBody: {
          ...withForm(operation.requestBody),
          ...(isOptionalBody(operation) && { required: false }),
        },
      }),
    }
  }
}

const paths = (prefix: string, document: OpenApi.OpenAPISpec) => {
  const whole = complete(prefix)
  return Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [method, whole(method, operation)]),
      ),
    ]),
  )
}

/** What receivers of webhooks are sent (spec, Events). */
const webhooks = Object.fromEntries(
  Object.entries(eventNames).map(([kind, name]) => [
    kind,
    {
      post: {
        tags: ["Webhooks"],
        operationId: `webhook.${kind}`,
        summary: `A webhook hears of ${kind}`,
        security: [],
        requestBody: {
          content: { "application/json": { schema: eventSchema(name) } },
          required: true,
        },
        responses: {
          "2XX": { description: "taken; anything else is tried again later" },
          "410": { description: "the receiver is gone for good: the webhook fails at once" },
        },
      },
    },
  ]),
)

/** The whole description of a service at this address. */
export const openApiDocument = ({ baseUrl, headerPrefix }: Service) => {
  const document = OpenApi.fromApi(Api)
  const { components } = document
  return {
    ...document,
    servers: [{ url: baseUrl }],
    paths: paths(headerPrefix, document),
    components: {
      ...components,
      schemas: { ...components.schemas, ...formSchemas(components.schemas) },
    },
    webhooks,
  }
}
