/**
 * `group` replaces `HttpApiBuilder.group` and puts around each handler what no route may forget. Before the handler, the
 * request passes these checks in this order; the first refusal is the response:
 *
 * 1. the access rule of the endpoint (`access.ts`): 401, 403, 402
 * 2. the ids in the path and the query, by the library (`policy.ts` makes the response): 404, 400
 * 3. unknown query parameters: 400 (docs/decisions/0057)
 * 4. the body, within the limit of its endpoint: 400, 408, 413, 503 (docs/decisions/0036); and the credential again when the body took
 *    more than a second: 401
 * 5. `Idempotency-Key` of a POST: 400, 409, or the stored response (`idempotency.ts`)
 */
import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { AdminAccess, AnswersForms, CurrentPrincipal } from "@mailroom/api"
import { InvalidInput } from "@mailroom/domain"
import { CredentialWatch } from "@mailroom/engine"
import { Clock, Context, Effect, Layer, Option, Predicate } from "effect"
import { RequestBodies } from "./bodies/RequestBodies.js"
import { senderOf } from "./bodies/sender.js"
import { ErrorResponses } from "./errors.js"
import { HttpSettings } from "./HttpSettings.js"
import { type Handler, IdempotencyGuard } from "./idempotency.js"
import { handlerServices } from "./requestServices.js"
import { unknownParameters } from "./routeTable.js"

/** Milliseconds that a body may take before the credential of its request is checked again. */
const CONFIRMED_AFTER = 1_000

type Endpoint = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
type Group = HttpApiGroup.HttpApiGroup.AnyWithProps

/** Adds the checks 3 to 5 to the handler of an endpoint. */
type Wrap = (group: Group, endpoint: Endpoint, handler: Handler) => Handler

/**
 * Has `handle` wrap each handler and register it with `handleRaw`, so that the library does not read the body. It changes
 * the object in place, which the library made for this group alone, because a copy would lose its type: the type counts
 * the endpoints that still need a handler.
 */
const wrapping = <H extends { readonly group: Group; readonly handle: unknown; readonly handleRaw: unknown }>(
  handlers: H,
  wrap: Wrap,
): H => {
  const { group, handleRaw } = handlers
  if (!Predicate.isFunction(handleRaw)) return handlers
  const add = (name: string, handler: Handler, options: unknown) => {
    const narrowed: Handler = (decoded) => Effect.mapInputContext(handler(decoded), handlerServices)
    return wrapping(Reflect.apply(handleRaw, handlers, [name, narrowed, options]), wrap)
  }
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
  const { refuse, refuseTo } = yield* ErrorResponses
  const { trustProxy } = yield* HttpSettings
  const credentials = yield* CredentialWatch
  /** A body may take minutes, in which the credential of its request may be revoked. */
  const confirmedSince = (startedAt: number) =>
    Effect.gen(function* () {
      if ((yield* Clock.currentTimeMillis) - startedAt < CONFIRMED_AFTER) return
      const principal = yield* Effect.serviceOption(CurrentPrincipal)
      if (Option.isSome(principal)) yield* credentials.confirm(principal.value)
    })
  /** Reads and decodes the body before the handler runs, if the endpoint takes one. */
  const withPayload = (
    group: Group,
    endpoint: Endpoint,
    annotations: Context.Context<never>,
    handler: Handler,
  ): Handler => {
    if (Option.isNone(endpoint.payloadSchema)) return handler
    const read = bodies.payload(endpoint, annotations)
    const refusing = Context.get(annotations, AnswersForms) ? refuseTo : () => refuse
    const accessRules = [...group.middlewares, ...endpoint.middlewares]
    const isOperators = accessRules.some(({ key }) => key === AdminAccess.key)
    return (decoded) =>
      Effect.gen(function* () {
        const startedAt = yield* Clock.currentTimeMillis
        const sender = yield* senderOf(decoded.request, isOperators, trustProxy)
        const confirmed = Effect.zipLeft(read(decoded.request, sender), confirmedSince(startedAt))
        return yield* Effect.matchEffect(confirmed, {
          onFailure: refusing(decoded.request),
          onSuccess: (payload) => handler({ ...decoded, payload }),
        })
      })
  }
  return (group: Group, endpoint: Endpoint, handler: Handler): Handler => {
    const annotations = Context.merge(group.annotations, endpoint.annotations)
    const unknown = unknownParameters(endpoint, annotations)
    const guarded = endpoint.method === "POST" ? guard(endpoint, handler) : handler
    const inner = withPayload(group, endpoint, annotations, guarded)
    return (decoded) => {
      const issues = unknown(decoded.request.url)
      return issues.length === 0 ? inner(decoded) : refuse(new InvalidInput({ issues }))
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
