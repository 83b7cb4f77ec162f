/** Drafts in words, times, files, refusals and trust. */
import { MailroomError } from "@mailroom/client"
import { draftActions, draftProblem, draftState, recipientsText } from "@mailroom/dashboard/rules/drafts"
import { filesIssue } from "@mailroom/dashboard/rules/fileLimits"
import { refusalWords, sendErrorWords } from "@mailroom/dashboard/rules/refusals"
import {
  inputTime,
  leavingText,
  timeChoices,
  timeIssue,
  timeOfInput,
} from "@mailroom/dashboard/rules/schedule"
import { threadTrust } from "@mailroom/dashboard/rules/threadTrust"
import { describe, expect, it } from "vitest"
import { draft, message, NOON } from "../support/mails.js"

describe("the state of a draft", () => {
  it.each([
    [draft({ status: "DRAFT" }), "Draft"],
    [
      draft({ status: "SCHEDULED", sendAt: "2026-03-10T09:00:00Z" }),
      `Leaves ${leavingText(new Date("2026-03-10T09:00:00Z"), "en-GB")}`,
    ],
    [draft({ status: "SCHEDULED", sendAt: "2026-03-09T11:59:00Z" }), "Leaves as soon as it can"],
    [draft({ status: "PENDING_REVIEW" }), "Waits for your approval"],
    [draft({ status: "REJECTED", error: { code: "REJECTED", message: "No" } }), "Rejected"],
    [draft({ status: "REJECTED", error: { code: "REVIEW_EXPIRED", message: "" } }), "Not approved in time"],
    [draft({ status: "FAILED", error: { code: "RELAY_REFUSED", message: "" } }), "Not sent"],
  ])("%#", (shown, label) => {
    expect(draftState(shown, NOON, "en-GB").label).toBe(label)
  })

  it("decides what can be done: one that waits is approved in the queue, not sent from the list", () => {
    expect(draftActions(draft({ status: "PENDING_REVIEW" }))).toEqual(["review", "delete"])
    expect(draftActions(draft({ status: "SCHEDULED" }))).toContain("unschedule")
    expect(draftActions(draft({ status: "FAILED" }))).toEqual(["edit", "send", "delete"])
  })

  it("gives the reason of a rejection in the words of the person", () => {
    const rejected = draft({ status: "REJECTED", error: { code: "REJECTED", message: "Too harsh" } })
    expect(draftProblem(rejected)).toEqual({ title: "Rejected", text: "Too harsh" })
    expect(draftProblem(draft({ status: "DRAFT" }))).toBeUndefined()
  })

  it("names two recipients and counts the others", () => {
    const many = draft({ to: ["Ada <a@acme.dev>", "b@acme.dev"], cc: ["c@acme.dev"], bcc: ["d@acme.dev"] })
    expect(recipientsText(many)).toBe("Ada, b@acme.dev and 2 more")
    expect(recipientsText(draft({ to: [] }))).toBe("No recipient yet")
  })
})

describe("times to send at", () => {
  const labels = (...date: [number, number, number, number]) =>
    timeChoices(new Date(...date)).map(({ label }) => label)
  // 9 March 2026 is a Monday.
  it.each([
    [
      [2026, 2, 9, 3],
      ["In one hour", "This morning", "This evening", "Tomorrow morning", "Monday morning"],
    ],
    [
      [2026, 2, 9, 12],
      ["In one hour", "This evening", "Tomorrow morning", "Monday morning"],
    ],
    [
      [2026, 2, 15, 20],
      ["In one hour", "Tomorrow morning"],
    ],
    [
      [2026, 2, 14, 20],
      ["In one hour", "Tomorrow morning", "Monday morning"],
    ],
  ] as const)("at %j are %j", ([year, month, day, hour], expected) => {
    expect(labels(year, month, day, hour)).toEqual(expected)
  })

  it("are after now, in the reader's zone, the next Monday being another day", () => {
    const now = new Date(2026, 2, 9, 12)
    const choices = timeChoices(now)
    expect(choices.every(({ at }) => at > now)).toBe(true)
    expect(choices.at(-1)?.at).toEqual(new Date(2026, 2, 16, 9))
  })

  it("are read from the field as they were written into it", () => {
    const time = new Date(2026, 2, 9, 7, 5)
    expect(inputTime(time)).toBe("2026-03-09T07:05")
    expect(timeOfInput("2026-03-09T07:05")).toEqual(time)
    expect(timeOfInput("")).toBeNull()
  })

  it("have not passed, and are 90 days ahead at most", () => {
    const after = (days: number) => new Date(NOON.getTime() + days * 86_400_000)
    expect([null, NOON, after(90), after(90.01)].map((time) => timeIssue(time, NOON))).toEqual([
      "Choose a date and a time.",
      "This time has passed.",
      undefined,
      "A mail can wait 90 days at most.",
    ])
  })
})

describe("files", () => {
  const MB = 1024 * 1024
  it("are 20, of 25 MB together, at most", () => {
    expect(filesIssue([{ sizeBytes: 24 * MB }], [{ sizeBytes: MB }])).toBeUndefined()
    expect(filesIssue([{ sizeBytes: 24 * MB }], [{ sizeBytes: MB + 1 }])).toContain("25 MB")
    const many = Array.from({ length: 20 }, () => ({ sizeBytes: 1 }))
    expect(filesIssue(many, [])).toBeUndefined()
    expect(filesIssue(many, [{ sizeBytes: 1 }])).toBe("A mail has 20 files at most; these are 21.")
  })
})

describe("a refusal in words", () => {
  it("names the recipient and where to go on", () => {
    expect(refusalWords("RECIPIENT_SUPPRESSED", "bob@acme.dev is on the suppression list")).toMatchObject({
      title: "A recipient must not be written to (bob@acme.dev)",
      link: { href: "/dashboard/suppressions" },
    })
  })

  it("of an unknown code is what the service says", () => {
    expect(refusalWords("NEW_CODE", "The service says so")).toEqual({
      title: "The mail was not sent",
      text: "The service says so",
    })
  })

  it("of a field names the field", () => {
    const error = new MailroomError("no", {
      code: "VALIDATION_FAILED",
      status: 400,
      issues: [{ path: "edits.to.0", message: "must be an address" }],
    })
    expect(sendErrorWords(error)).toEqual({
      title: "The mail is not complete",
      text: "Recipients: must be an address.",
    })
  })
})

describe("the trust of a conversation", () => {
  const from = (
    level: "known" | "verified" | "suspicious",
    ...reasons: ReadonlyArray<"dmarc_fail" | "hidden_text">
  ) => ({
    ...message,
    trust: { level, reasons },
  })

  it("is that of its least trusted received mail, with every reason once", () => {
    const trust = threadTrust([
      from("known"),
      from("suspicious", "hidden_text"),
      from("verified"),
      from("suspicious", "hidden_text", "dmarc_fail"),
    ])
    expect(trust).toMatchObject({ label: "Suspicious", tone: "bad" })
    expect(trust?.reasons).toHaveLength(2)
  })

  it("is unknown without received mail", () => {
    expect(threadTrust([{ ...from("suspicious"), direction: "OUTBOUND" }, message])).toBeNull()
  })
})
