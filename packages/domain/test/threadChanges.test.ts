/** How threads change (docs/specification/threads.md). */
import { AccountId, MailboxId, mergedThread, type ThreadRecord, withShownMessage } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { threadId } from "./support/records.js"

const thread = (changes: Partial<ThreadRecord>): ThreadRecord => ({
  id: threadId(1),
  accountId: AccountId.make("00000000-0000-4000-8000-000000000001"),
  mailboxId: MailboxId.make("00000000-0000-4000-8000-000000000002"),
  subject: "Order",
  baseSubject: "order",
  participants: ["ada@example.org"],
  messageCount: 1,
  lastMessageAt: 2000,
  createdAt: 2000,
  takenOverAt: null,
  ...changes,
})

const addresses = (count: number, host: string) =>
  Array.from({ length: count }, (_, index) => `a${index}@${host}`)

describe("a thread", () => {
  it("takes subject and time of its first visible message, and of an import that is older", () => {
    const empty = thread({ subject: "", baseSubject: "", participants: [], messageCount: 0, createdAt: 1000 })
    const shown = withShownMessage(empty, {
      subject: "Re: Rent",
      participants: ["bob@a.org"],
      createdAt: 1500,
    })
    expect(shown).toMatchObject({
      subject: "Re: Rent",
      baseSubject: "rent",
      lastMessageAt: 1500,
      messageCount: 1,
    })
    const imported = withShownMessage(shown, { subject: "Rent", participants: [], createdAt: 500 })
    expect(imported).toMatchObject({ subject: "Rent", createdAt: 500, lastMessageAt: 1500, messageCount: 2 })
  })

  it("keeps the first hundred addresses, whether by messages or by a merge", () => {
    const full = thread({ participants: addresses(99, "a.org") })
    const named = { subject: "Order", participants: ["a0@a.org", "new@b.org", "late@b.org"], createdAt: 3000 }
    const expected = [...addresses(99, "a.org"), "new@b.org"]
    expect(withShownMessage(full, named).participants).toEqual(expected)
    expect(mergedThread(full, thread({ participants: named.participants })).participants).toEqual(expected)
  })

  it("that another is merged into has the counts of both, the earlier beginning and the later end", () => {
    const into = thread({ messageCount: 2, createdAt: 1000, lastMessageAt: 5000 })
    const from = thread({ subject: "Else", messageCount: 3, createdAt: 2000, lastMessageAt: 7000 })
    expect(mergedThread(into, from)).toMatchObject({
      subject: "Order",
      messageCount: 5,
      createdAt: 1000,
      lastMessageAt: 7000,
    })
  })

  it("without visible messages takes the subject of what is merged into it, and gives it no time", () => {
    const into = thread({ subject: "", baseSubject: "", messageCount: 0, lastMessageAt: 9000 })
    const from = thread({ subject: "Else", baseSubject: "else", lastMessageAt: 3000 })
    expect(mergedThread(into, from)).toMatchObject({
      subject: "Else",
      baseSubject: "else",
      messageCount: 1,
      lastMessageAt: 3000,
    })
  })
})
