/** Checks the operator's ADMIN_TOKEN (spec: decisions.admin.token). */
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { AdminAccess, wireErrors } from "@mailroom/api"
import { Unauthenticated } from "@mailroom/domain"
import { Settings, Vault } from "@mailroom/engine"
import { Effect, Layer, Option, Redacted } from "effect"
import { bearerKey } from "./access.js"
import { HttpSettings } from "./HttpSettings.js"

const PURPOSE = "admin token"

/** Succeeds for the admin token as bearer. Fails with 401 for anything else, and with `RouteNotFound` where no token is set. */
export const operatorOnly = Effect.gen(function* () {
  const { adminToken } = yield* HttpSettings
  const { baseUrl, billing } = yield* Settings
  const vault = yield* Vault
  const wire = wireErrors({ baseUrl, billing })
  // Compares signatures of the tokens, because that takes the same time for every token.
  const signature = Option.map(adminToken, (token) => vault.sign(PURPOSE, Redacted.value(token)))

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (Option.isNone(signature)) return yield* Effect.fail(new HttpServerError.RouteNotFound({ request }))
    const given = bearerKey(request)
    if (given === null || !vault.verify(PURPOSE, given, signature.value))
      return yield* Effect.fail(wire.Unauthenticated(new Unauthenticated({ reason: "admin token" })))
  })
})

export const adminAccessLayer = Layer.effect(
  AdminAccess,
  Effect.map(operatorOnly, (enter) => ({
    admin: () => Effect.catchTag(enter, "RouteNotFound", (unknown) => Effect.die(unknown)),
  })),
)
