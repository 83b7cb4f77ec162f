/** Accounts with a message above an inbound limit (spec, Inbound message gating). */
import { Effect, type Scope } from "effect"
import { textAt } from "./Answer.js"
import { type Agent, agent, receive, receiveMany, type State } from "./agents.js"
import type { Draft } from "./mail.js"
import { World } from "./World.js"

export interface Gated {
  readonly owner: Agent
  /** of the gated message; its stub told it */
  readonly id: string
  /** the envelope that the stream carried */
  readonly stub: unknown
  /** the path of the gated message */
  readonly path: string
}

const secret: Draft = {
  subject: "secret subject",
  text: "secret text",
  attachments: [{ filename: "secret.txt", contentType: "text/plain", content: "secret file" }],
}

/** `visible` mails fill the quota, and one more is gated. */
const overLimit = (state: State, visible: number): Effect.Effect<Gated, never, World | Scope.Scope> =>
  Effect.gen(function* () {
    const { listen } = yield* World
    const owner = yield* agent(state)
    yield* receiveMany(owner, visible)
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner, [secret])
    const [frame] = yield* stream.received(1)
    const id = textAt(frame?.data, "data.message_id")
    return { owner, id, stub: frame?.data, path: `/v1/mailboxes/${owner.mailboxId}/messages/${id}` }
  })

/** 100 mails this month, which is all that an account without a plan may have, and one more. */
export const overTheMonth = overLimit("unverified", 100)

const shared = new WeakMap<World["Type"], Effect.Effect<Gated>>()

/** The same, once for all rows of a world that only look at it. */
export const sharedOverTheMonth: Effect.Effect<Gated, never, World> = Effect.flatMap(World, (world) => {
  const made = shared.get(world)
  if (made !== undefined) return made
  const making = Effect.runSync(
    Effect.cached(Effect.provideService(Effect.scoped(overTheMonth), World, world)),
  )
  shared.set(world, making)
  return making
})

/** 10 mails in the trial, and one more. */
export const overTheTrial = overLimit("trial", 10)
