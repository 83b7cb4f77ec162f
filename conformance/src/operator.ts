/** The operator of the service, by routes that are not in its OpenAPI document (decisions §4, Admin). */
import type { Plan } from "@mailroom/domain"
import { ADMIN_TOKEN } from "@mailroom/testing"
import { Effect } from "effect"
import { type Answer, textAt } from "./Answer.js"
import { accountOf, type Agent, agent, newMailbox, receive, type State } from "./agents.js"
import { World } from "./World.js"

/** Calls with the operator's token. */
export const operate = (target: string, body?: unknown): Effect.Effect<Answer, never, World> =>
  Effect.flatMap(World, ({ visit }) => visit(target, { key: ADMIN_TOKEN, body }))

/** What the operator does to an account: `suspend`, `unsuspend`, `plan`. */
const toAccount = (owner: Agent, what: string, body?: unknown): Effect.Effect<Answer, never, World> =>
  Effect.gen(function* () {
    const id = textAt(yield* accountOf(owner), "id")
    return yield* operate(`POST /admin/v1/accounts/${id}/${what}`, body)
  })

/** Why accounts and mailboxes are suspended, as their owner reads it. */
export const REASON = "too many complaints"

export const suspend = (owner: Agent) => toAccount(owner, "suspend", { reason: REASON })
export const unsuspend = (owner: Agent) => toAccount(owner, "unsuspend")
export const setPlan = (owner: Agent, plan: Plan) => toAccount(owner, "plan", { plan })

/** The agent's first mailbox. */
export const suspendMailbox = ({ mailboxId }: Agent) =>
  operate(`POST /admin/v1/mailboxes/${mailboxId}/suspend`, { reason: REASON })
export const unsuspendMailbox = ({ mailboxId }: Agent) =>
  operate(`POST /admin/v1/mailboxes/${mailboxId}/unsuspend`)

/** An account with a message in its mailbox, suspended since. */
export const suspendedAgent = (state?: State): Effect.Effect<Agent, never, World> =>
  Effect.gen(function* () {
    const owner = yield* agent(state)
    yield* receive(owner)
    yield* suspend(owner)
    return owner
  })

/** A plan was taken away: of four mailboxes there is room for three, and billing paused the newest. */
export const aboveThePlan: Effect.Effect<Pick<Agent, "call"> & { readonly path: string }, never, World> =
  Effect.gen(function* () {
    const owner = yield* agent()
    yield* setPlan(owner, "Developer")
    for (const address of ["second", "third"]) yield* newMailbox(owner, address)
    const { id } = yield* newMailbox(owner, "fourth")
    yield* setPlan(owner, "Free")
    return { call: owner.call, path: `/v1/mailboxes/${id}` }
  })
