/**
 * The handlers of a group of the contract. Its `group` stands for the library's: what every route of a kind has to do is
 * put around the handlers here, so that no route can forget it. Unknown query parameters are refused (docs/decisions/0057);
 * a body is read within the limit of its endpoint and decoded (docs/decisions/0036); a POST of a caller heeds
 * `Idempotency-Key` (decisions §4).
 */
import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { AdminAccess } from "@mailroom/api"
import { InvalidInput } from "@mailroom/domain"
import { Context, Effect, Layer, Option, Predicate } from "effect"
import { RequestBodies } from "./bodies/RequestBodies.js"
import { senderOf } from "./bodies/sender.js"
import { ErrorResponses } from "./errors.js"
import { HttpSettings } from "./HttpSettings.js"
import { type Handler, IdempotencyGuard } from "./idempotency.js"
import { unknownParameters } from "./routeTable.js"

type Endpoint = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
type Group = HttpApiGroup.HttpApiGroup.AnyWithProps

/** The handler of an endpoint with everything around it. */
type Wrap = (group: Group, endpoint: Endpoint, handler: Handler) => Handler

/**
 * The same handlers, of which each that is added with `handle` is wrapped. It is registered as one that reads its body
 * itself, so that the library reads none. The library made the object for this group alone, which is why it is changed in
 * place: its type, with the endpoints that are still missing, stays.
 */
const wrapping = <H extends { readonly group: Group; readonly handle: unknown; readonly handleRaw: unknown }>(
  handlers: H,
  wrap: Wrap,
): H => {
  const { group, handleRaw } = handlers
  if (!Predicate.isFunction(handleRaw)) return handlers
  const add = (name: string, handler: Handler, options: unknown) =>
    wrapping(Reflect.apply(handleRaw, handlers, [name, handler, options]), wrap)
  return Object.assign(handlers, {
    handleRaw: add,
    handle: (name: string, handler: Handler, options: unknown) => {
      const endpoint = group.endpoints[name]
      return add(name, endpoint === undefined ? handler : wrap(group, endpoint, handler), options)
    },
  })
}

const wrapper = Effect.gen(function* () {
  const bodies = yield* RequestBodies
  const { guard } = yield* IdempotencyGuard
  const { respond } = yield* ErrorResponses
  const { trustProxy } = yield* HttpSettings
  /** Has the body read first, if the endpoint takes one. */
  const withPayload = (
    group: Group,
    endpoint: Endpoint,
    annotations: Context.Context<never>,
    handler: Handler,
  ): Handler => {
    if (Option.isNone(endpoint.payloadSchema)) return handler
    const read = bodies.payload(endpoint, annotations)
    const gates = [...group.middlewares, ...endpoint.middlewares]
    const isOperators = gates.some(({ key }) => key === AdminAccess.key)
    return (decoded) =>
      Effect.flatMap(senderOf(decoded.request, isOperators, trustProxy), (sender) =>
        Effect.matchEffect(read(decoded.request, sender), {
          onFailure: (refusal) => Effect.succeed(respond(refusal)),
          onSuccess: (payload) => handler({ ...decoded, payload }),
        }),
      )
  }
  return (group: Group, endpoint: Endpoint, handler: Handler): Handler => {
    const annotations = Context.merge(group.annotations, endpoint.annotations)
    const unknown = unknownParameters(endpoint, annotations)
    const guarded = endpoint.method === "POST" ? guard(endpoint, handler) : handler
    const inner = withPayload(group, endpoint, annotations, guarded)
    return (decoded) => {
      const issues = unknown(decoded.request.url)
      return issues.length === 0 ? inner(decoded) : Effect.succeed(respond(new InvalidInput({ issues })))
    }
  }
})

/** As `HttpApiBuilder.group`. */
export const group = <
  ApiId extends string,
  Groups extends HttpApiGroup.HttpApiGroup.Any,
  ApiError,
  ApiR,
  const Name extends HttpApiGroup.HttpApiGroup.Name<Groups>,
  Return,
>(
  api: HttpApi.HttpApi<ApiId, Groups, ApiError, ApiR>,
  name: Name,
  build: (
    handlers: HttpApiBuilder.Handlers.FromGroup<
      ApiError,
      ApiR,
      HttpApiGroup.HttpApiGroup.WithName<Groups, Name>
    >,
  ) => HttpApiBuilder.Handlers.ValidateReturn<Return>,
) =>
  Layer.unwrapEffect(
    Effect.map(wrapper, (wrap) =>
      HttpApiBuilder.group<ApiId, Groups, ApiError, ApiR, Name, Return>(api, name, (handlers) =>
        build(wrapping(handlers, wrap)),
      ),
    ),
  )
