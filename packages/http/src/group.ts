/**
 * The handlers of a group of the contract. Its `group` stands for the library's: what every route of a kind has to do
 * (decisions §4, `Idempotency-Key`) is put around the handlers here, so that no route can forget it.
 */
import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Effect, Layer, Predicate } from "effect"
import { type Handler, OncePerKey } from "./idempotency.js"

/** The same handlers; each POST that is added goes through `guard`, unless it reads its body itself. */
const guarded = <H extends { readonly group: HttpApiGroup.HttpApiGroup.AnyWithProps }>(
  handlers: H,
  guard: (typeof OncePerKey.Service)["guard"],
): H =>
  new Proxy(handlers, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key, target)
      if ((key !== "handle" && key !== "handleRaw") || !Predicate.isFunction(member)) return member
      return (name: string, handler: Handler, options: unknown) => {
        const endpoint = target.group.endpoints[name]
        const added = key === "handle" && endpoint?.method === "POST" ? guard(endpoint, handler) : handler
        return guarded(Reflect.apply(member, target, [name, added, options]), guard)
      }
    },
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
    Effect.map(OncePerKey, ({ guard }) =>
      HttpApiBuilder.group<ApiId, Groups, ApiError, ApiR, Name, Return>(api, name, (handlers) =>
        build(guarded(handlers, guard)),
      ),
    ),
  )
