/** Filters of waits and claims (spec: sharing.wait.filters). */
import { describe, expect, it } from "@effect/vitest"
import { anyArrival, matchesWaitFilter, ThreadId, type WaitedMessage } from "@mailroom/domain"

const message: WaitedMessage = {
  direction: "INBOUND",
  threadId: ThreadId.make("00000000-0000-7000-8000-000000000001"),
  labels: [],
  readAt: null,
  fromAddress: "ada@sender.org",
  toAddresses: [],
  ccAddresses: [],
  subject: "Your code",
  hasAttachments: false,
  createdAt: 0,
  hasCode: true,
  hasLink: false,
}

describe("the filter of a wait", () => {
  it("matches messages with or without codes and links, or both kinds", () => {
    expect(matchesWaitFilter(anyArrival, message)).toBe(true)
    expect(matchesWaitFilter({ ...anyArrival, hasCode: true, hasLink: false }, message)).toBe(true)
    expect(matchesWaitFilter({ ...anyArrival, hasCode: false }, message)).toBe(false)
    expect(matchesWaitFilter({ ...anyArrival, hasLink: true }, message)).toBe(false)
  })

  it("needs the conditions of a list too", () => {
    expect(matchesWaitFilter({ ...anyArrival, hasCode: true, subject: "code" }, message)).toBe(true)
    expect(matchesWaitFilter({ ...anyArrival, hasCode: true, subject: "invoice" }, message)).toBe(false)
  })
})
