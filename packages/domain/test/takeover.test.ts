/** Which sends go into a thread that a person has taken over. */
import { admitToThread, isPerson, KeyId, laterTakeover, ThreadId } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { uuid } from "./support/records.js"

const id = ThreadId.make(uuid(1))
const TAKEN = 1_000

describe("threads.takeover.409: a send into a thread", () => {
  it.each([
    ["that nobody has taken over", null, false, null, true],
    ["that is taken over, of a key", TAKEN, false, null, false],
    ["that is taken over, of a person", TAKEN, true, null, true],
    ["that is taken over, approved before", TAKEN, false, TAKEN - 1, false],
    ["that is taken over, approved since", TAKEN, false, TAKEN, true],
  ] as const)("%s", (_, takenOverAt, byPerson, approvedAt, passes) => {
    expect(Either.isRight(admitToThread({ id, takenOverAt }, { byPerson, approvedAt }))).toBe(passes)
    expect(Either.isRight(admitToThread(null, { byPerson, approvedAt }))).toBe(true)
  })

  it("names the thread when it is refused", () => {
    const refused = admitToThread({ id, takenOverAt: TAKEN }, { byPerson: false, approvedAt: null })
    expect(refused).toMatchObject({ left: { _tag: "ThreadTakenOver", threadId: id } })
  })
})

describe("threads.takeover.permission", () => {
  it("a person is the session of the owner; a key and an embedding program are agents", () => {
    expect(isPerson({ credential: { kind: "session", hash: "h" } })).toBe(true)
    expect(isPerson({ credential: { kind: "key", id: KeyId.make(uuid(2)), name: "Agent" } })).toBe(false)
    expect(isPerson({ credential: { kind: "embedded" } })).toBe(false)
  })
})

describe("threads.takeover.merged", () => {
  it("merged threads are taken over when one of them was, since the later time", () => {
    expect([laterTakeover(null, 1), laterTakeover(1, null), laterTakeover(2, 1)]).toEqual([1, 1, 2])
    expect(laterTakeover(null, null)).toBe(null)
  })
})
