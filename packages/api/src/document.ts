/** The OpenAPI document that the service serves (spec: versioning.5, decisions.pages.openapi). */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { acceptedKeys, EventKind, type NeededPermissions } from "@mailroom/domain"
import { Api } from "./Api.js"
import { AdminGroup } from "./groups/admin.js"
import { envelopeReference } from "./events.js"
import { formSchemas, withForm } from "./forms.js"
import { canBeReplayed, keyConflict, keyParameter, refusalsParameter, replayedHeader } from "./idempotency.js"
import { withoutInternals } from "./openapi.js"
import { type GuardedEndpoint, guardedEndpoints } from "./security.js"

export interface Service {
  /** public URL, without a trailing slash */
  readonly baseUrl: string
  /** prefix of the service's own headers, such as `X-Service-` */
  readonly headerPrefix: string
}

type Operation = OpenApi.OpenAPISpecOperation

interface Header {
  readonly description: string
  readonly schema: { readonly type: "string" | "integer"; readonly enum?: ReadonlyArray<string> }
}
type Headers = Readonly<Record<string, Header>>

const retryAfter: Headers = {
  "Retry-After": { description: "seconds to wait before the next request", schema: { type: "integer" } },
}

/** The headers of docs/specification/errors.md. */
const headersOf = (prefix: string) => {
  const quota: Headers = {
    [`${prefix}Inbound-Quota`]: {
      description: "received messages and the limit, `<count>/<limit>` or `<count>/unlimited`",
      schema: { type: "string" },
    },
    [`${prefix}Inbound-Warning`]: {
      description:
        "`approaching` from 50, `near` from 80, `reached` from 100 percent; absent below 50 percent",
      schema: { type: "string", enum: ["approaching", "near", "reached"] },
    },
  }
  const gated: Headers = {
    ...retryAfter,
    [`${prefix}Retriable`]: {
      description: "`false`: a retry before the reset is useless",
      schema: { type: "string", enum: ["false"] },
    },
    [`${prefix}Reset-At`]: {
      description: "start of the next month, when messages unlock",
      schema: { type: "string" },
    },
  }
  const signups: Headers = {
    "X-RateLimit-Remaining": {
      description: "signups that the client address has left in this hour",
      schema: { type: "integer" },
    },
  }
  return { quota, gated, signups }
}

const needsCaller = ({ security }: Operation): boolean => security.length > 0

/** The headers that a response of an operation can have. */
const responseHeaders = (prefix: string) => {
  const { quota, gated, signups } = headersOf(prefix)
  return (operation: Operation, method: string, status: string, isStream: boolean): Headers => ({
    ...(needsCaller(operation) && status !== "401" && !isStream && quota),
    ...(status === "402" && gated),
    ...((status === "409" || status === "429" || status === "503") && retryAfter),
    ...(needsCaller(operation) && method === "post" && canBeReplayed(status) && replayedHeader),
    ...(operation.operationId === "signup.signup" && status === "201" && signups),
  })
}

/** Whether the body is optional: the contract reads a missing body as `null`. */
const isOptionalBody = ({ requestBody }: Operation): boolean =>
  JSON.stringify(requestBody?.content["application/json"]?.schema ?? null).includes('{"type":"null"}')

const permissionText = (needed: NeededPermissions): string =>
  needed.length === 0 ? "no permission" : needed.map((permission) => `\`${permission}\``).join(" or ")

const needsText = ({ access, needs }: GuardedEndpoint): string => {
  switch (acceptedKeys(access)) {
    case "scoped":
      return `Needs ${permissionText(needs)}.`
    case "full":
      return `Needs full access and ${permissionText(needs)}.`
    case "none":
      return "Needs the session of the owner."
  }
}

/** The key and the permissions that an operation needs, in its description and for programs. */
const accessFields = ({ description }: Operation, guarded: GuardedEndpoint | undefined) =>
  guarded !== undefined && {
    description: [description, needsText(guarded)].join(" "),
    "x-keys": acceptedKeys(guarded.access),
    "x-permissions": guarded.needs,
  }

const complete = (prefix: string) => {
  const headersFor = responseHeaders(prefix)
  const guarded = new Map(guardedEndpoints(Api).map((endpoint) => [endpoint.name, endpoint]))
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
      ...accessFields(operation, guarded.get(operation.operationId)),
      parameters: heedsKeys
        ? [...operation.parameters, keyParameter, refusalsParameter]
        : operation.parameters,
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
  const completed = complete(prefix)
  return Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [method, completed(method, operation)]),
      ),
    ]),
  )
}

/** The webhooks of the document: the requests that receivers get. */
const webhooks = Object.fromEntries(
  EventKind.literals.map((kind) => [
    kind,
    {
      post: {
        tags: ["Webhooks"],
        operationId: `webhook.${kind}`,
        summary: `Delivery of ${kind} to a webhook`,
        security: [],
        requestBody: {
          content: { "application/json": { schema: envelopeReference(kind) } },
          required: true,
        },
        responses: {
          "2XX": { description: "accepted; other statuses are retried" },
          "410": { description: "the receiver no longer exists: the webhook fails at once" },
        },
      },
    },
  ]),
)

/** The OpenAPI document of a service at this address. */
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

/** The OpenAPI document of the operator's routes, which the service does not serve; clients are made from it. */
export const operatorDocument = () =>
  OpenApi.fromApi(
    HttpApi.make("operator")
      .add(AdminGroup.annotate(OpenApi.Exclude, false))
      .annotate(OpenApi.Transform, withoutInternals),
  )
