import { SuppressionId, viewSuppression } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { accountId, signedUp, uuid } from "./support/records.js"

describe("the suppression as it is shown", () => {
  it("decisions.suppression.fields: has exactly the fields decided", () => {
    const id = SuppressionId.make(uuid(7))
    const record = {
      id,
      accountId,
      email: "bob@elsewhere.dev",
      reason: "BOUNCE",
      createdAt: signedUp,
    } as const
    expect(viewSuppression(record)).toEqual({
      id,
      email: "bob@elsewhere.dev",
      reason: "BOUNCE",
      createdAt: "2026-03-01T09:30:00.000Z",
    })
  })
})
