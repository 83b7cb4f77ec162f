/** The operator of the service, by routes that are not in its OpenAPI document (decisions §4, Admin). */
import { ADMIN_TOKEN } from "@mailroom/testing"
import { Effect } from "effect"
import { type Answer, textAt } from "./Answer.js"
import { accountOf, type Agent } from "./agents.js"
import { World } from "./World.js"

export const suspend = (owner: Agent): Effect.Effect<Answer, never, World> =>
  Effect.gen(function* () {
    const { visit } = yield* World
    const id = textAt(yield* accountOf(owner), "id")
    const body = { reason: "too many complaints" }
    return yield* visit(`POST /admin/v1/accounts/${id}/suspend`, { key: ADMIN_TOKEN, body })
  })
