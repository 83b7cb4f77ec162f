/** The log line of a refused request: why a customer's request was refused, for the operator (docs/operations.md). */
import * as HttpRouter from "@effect/platform/HttpRouter"
import { CurrentPrincipal } from "@mailroom/api"
import type { Principal } from "@mailroom/domain"
import { logLine } from "@mailroom/engine"
import { Effect, Option } from "effect"

/** Logs that a request of `principal` was refused with `code`. The route has no ids: its path is the template. */
export const logRefusalOf = (
  { account, credential }: Principal,
  code: string,
  replayed = false,
): Effect.Effect<void> =>
  Effect.flatMap(Effect.serviceOption(HttpRouter.RouteContext), (context) =>
    logLine("request refused", {
      code,
      ...Option.match(context, {
        onNone: () => ({}),
        onSome: ({ route }) => ({ method: route.method, route: route.path }),
      }),
      accountId: account.id,
      ...(credential.kind === "key" && { keyId: credential.id }),
      ...(replayed && { replayed }),
    }),
  )

/** As `logRefusalOf`, for the caller of the request. A request without one has no line: anybody could fill the log. */
export const logRefusal = (code: string): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.serviceOption(CurrentPrincipal),
    Option.match({ onNone: () => Effect.void, onSome: (principal) => logRefusalOf(principal, code) }),
  )
