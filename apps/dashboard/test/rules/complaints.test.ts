/** The accounts that are complained about. */
import { complaintsByAccount } from "@mailroom/dashboard/rules/complaints"
import { expect, it } from "vitest"

const complaint = (slug: string, day: number) => ({
  accountId: `id-of-${slug}`,
  slug,
  mailboxId: "mailbox",
  messageId: "message",
  recipients: ["bob@corp.org"],
  at: `2026-03-0${day}T08:00:00.000Z`,
})

it("the account with the most complaints comes first, with the time of its newest", () => {
  const newestFirst = [complaint("quiet", 4), complaint("loud", 3), complaint("loud", 2)]
  expect(complaintsByAccount(newestFirst)).toEqual([
    { accountId: "id-of-loud", slug: "loud", count: 2, newest: "2026-03-03T08:00:00.000Z" },
    { accountId: "id-of-quiet", slug: "quiet", count: 1, newest: "2026-03-04T08:00:00.000Z" },
  ])
})
