/** Lets the operator in (decisions §1, ADMIN_TOKEN). */
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { AdminAccess } from "@mailroom/api"
import { Unauthenticated } from "@mailroom/domain"
import { Settings, Vault } from "@mailroom/engine"
import { Effect, Layer, Option, Redacted } from "effect"
import { bearerKey } from "./access.js"
import { wireErrors } from "./errors.js"
import { HttpSettings } from "./HttpSettings.js"

const PURPOSE = "admin token"

/**
 * Lets a request in that has the admin token as its bearer. Fails with 401 when it has not, and as an unknown path where
 * no token is set.
 */
export const operatorOnly = Effect.gen(function* () {
  const { adminToken } = yield* HttpSettings
  const { baseUrl, billing } = yield* Settings
  const vault = yield* Vault
  const wire = wireErrors({ baseUrl, billing })
  // What is compared is a signature of the token, in constant time.
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
