/** Accounts with a gated message (docs/specification/states.md, Gated messages). */
import { Effect, type Scope } from "effect"
import { textAt } from "./Answer.js"
import { type Agent, agent, receive, receiveMany, type State } from "./agents.js"
import type { Draft } from "./mail.js"
import { World } from "./World.js"

export interface Gated {
  readonly owner: Agent
  /** id of the gated message, from its stub */
  readonly id: string
  /** the envelope from the stream */
  readonly stub: unknown
  /** the path of the gated message */
  readonly path: string
}

const secret: Draft = {
  subject: "secret subject",
  text: "secret text",
  attachments: [{ filename: "secret.txt", contentType: "text/plain", content: "secret file" }],
}

/** Delivers `visible` mails, which use the quota, and one more, which is gated. */
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

/** The 100 messages that an unverified account may receive in a month, and a gated one. */
export const overTheMonth = overLimit("unverified", 100)

const shared = new WeakMap<World["Type"], Effect.Effect<Gated>>()

/** The same, shared by all tests of a world that only read it. */
export const sharedOverTheMonth: Effect.Effect<Gated, never, World> = Effect.flatMap(World, (world) => {
  const made = shared.get(world)
  if (made !== undefined) return made
  const making = Effect.runSync(
    Effect.cached(Effect.provideService(Effect.scoped(overTheMonth), World, world)),
  )
  shared.set(world, making)
  return making
})

/** The 10 messages of the trial, and a gated one. */
export const overTheTrial = overLimit("trial", 10)
