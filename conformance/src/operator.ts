/** Requests of the operator (docs/specification/service.md), whose routes are not in the OpenAPI document. */
import type { Plan } from "@mailroom/domain"
import { ADMIN_TOKEN } from "@mailroom/testing"
import { Effect } from "effect"
import { type Answer, textAt } from "./Answer.js"
import { accountOf, type Agent, agent, newMailbox, receive, type State } from "./agents.js"
import { World } from "./World.js"

/** Sends a request with the operator's token. */
export const operate = (target: string, body?: unknown): Effect.Effect<Answer, never, World> =>
  Effect.flatMap(World, ({ visit }) => visit(target, { key: ADMIN_TOKEN, body }))

/** An action on an account: `suspend`, `unsuspend` or `plan`. */
const toAccount = (owner: Agent, what: string, body?: unknown): Effect.Effect<Answer, never, World> =>
  Effect.gen(function* () {
    const id = textAt(yield* accountOf(owner), "id")
    return yield* operate(`POST /admin/v1/accounts/${id}/${what}`, body)
  })

/** Reason of the suspensions in tests. */
export const REASON = "too many complaints"

export const suspend = (owner: Agent) => toAccount(owner, "suspend", { reason: REASON })
export const unsuspend = (owner: Agent) => toAccount(owner, "unsuspend")
export const setPlan = (owner: Agent, plan: Plan) => toAccount(owner, "plan", { plan })

/** The agent's first mailbox. */
export const suspendMailbox = ({ mailboxId }: Agent) =>
  operate(`POST /admin/v1/mailboxes/${mailboxId}/suspend`, { reason: REASON })
export const unsuspendMailbox = ({ mailboxId }: Agent) =>
  operate(`POST /admin/v1/mailboxes/${mailboxId}/unsuspend`)

/** A suspended account with a message in its mailbox. */
export const suspendedAgent = (state?: State): Effect.Effect<Agent, never, World> =>
  Effect.gen(function* () {
    const owner = yield* agent(state)
    yield* receive(owner)
    yield* suspend(owner)
    return owner
  })

/** An account above its plan: of four mailboxes the plan allows three, and billing paused the newest. */
export const aboveThePlan: Effect.Effect<Pick<Agent, "call"> & { readonly path: string }, never, World> =
  Effect.gen(function* () {
    const owner = yield* agent()
    yield* setPlan(owner, "Developer")
    for (const address of ["second", "third"]) yield* newMailbox(owner, address)
    const { id } = yield* newMailbox(owner, "fourth")
    yield* setPlan(owner, "Free")
    return { call: owner.call, path: `/v1/mailboxes/${id}` }
  })
