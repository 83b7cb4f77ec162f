/** Turns of accounts (docs/decisions/0039). */
import { describe, expect, it } from "@effect/vitest"
import { AccountId } from "@mailroom/domain"
import { makeActiveAccounts } from "@mailroom/engine"
import { Effect } from "effect"

const account = AccountId.make("00000000-0000-7000-8000-000000000001")

describe("work in turn", () => {
  it.live("takes a slot each time that it runs, and frees it at its end", () =>
    Effect.gen(function* () {
      const { inFlight, inTurn } = makeActiveAccounts(1)
      const work = inTurn(account, Effect.sync(inFlight))
      expect(inFlight()).toEqual(new Map())
      for (const _ of ["once", "again"]) expect(yield* work).toEqual(new Map([[account, 1]]))
      expect(inFlight()).toEqual(new Map())
    }),
  )
})
