/** The agent, in memory and on the clock of the test. */
import { describe, expect, it } from "@effect/vitest"
import { clockAt, Outside, TestMailroom } from "@mailroom/testing"
import { Effect, TestClock } from "effect"
import { agent } from "../src/agent.js"

const to = "agent@agents.acme.dev"

describe("the agent", () => {
  it.scoped("answers a person, and leaves the mail of a machine", () =>
    Effect.gen(function* () {
      const outside = yield* Outside
      yield* Effect.forkScoped(agent)
      yield* TestClock.adjust("1 second")
      yield* outside.deliver({ to, headers: ["Auto-Submitted: auto-replied"], text: "I am away." })
      yield* outside.deliver({ to, from: "ada@elsewhere.org", subject: "Hi", text: "Four" })
      const [answer, ...more] = yield* outside.waitForMail()
      expect(answer).toMatchObject({ to: ["ada@elsewhere.org"], mail: { subject: "Re: Hi" } })
      expect(answer?.mail.text).toContain("you wrote 4 characters")
      expect(more).toEqual([])
    }).pipe(Effect.provide(TestMailroom.layer()), Effect.provide(clockAt(0))),
  )
})
