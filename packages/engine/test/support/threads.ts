/** Threads that a person takes over. */
import type { Principal, ThreadId } from "@mailroom/domain"
import { Takeovers } from "@mailroom/engine"
import { Effect } from "effect"
import { as, type Owner } from "./owners.js"

/** A principal of the owner's session: a person at the dashboard. */
export const asPerson = (owner: Owner) =>
  Effect.map(as(owner), (principal): Principal => ({
    ...principal,
    credential: { kind: "session", hash: "a session" },
  }))

export const takeOver = (owner: Owner, id: ThreadId) =>
  Effect.gen(function* () {
    const takeovers = yield* Takeovers
    return yield* takeovers.takeOver(yield* asPerson(owner), id)
  })

export const release = (owner: Owner, id: ThreadId) =>
  Effect.gen(function* () {
    const takeovers = yield* Takeovers
    return yield* takeovers.release(yield* asPerson(owner), id)
  })
