/** Rules of the review queue. */
import { MailroomError } from "@mailroom/client"
import {
  approvalOutcome,
  beginEditing,
  changeEditing,
  conflictOf,
  decidable,
  editsOf,
  endEditing,
  fateOf,
  fateOfEvent,
  settledWords,
  holdText,
  isShownWhole,
  newRecipients,
  partsOf,
  type Seen,
  seenMore,
  unsavedText,
} from "@mailroom/dashboard/rules/reviews"
import { leavingText } from "@mailroom/dashboard/rules/schedule"
import { describe, expect, it } from "vitest"
import { draft, message, NOON } from "../support/mails.js"

const both = draft({ bodyText: "Hello", bodyHtml: "<p>Hello</p>" })

const seenOf = (digest: string, ...what: ReadonlyArray<"html" | "text" | "end">): Seen | undefined =>
  what.reduce<Seen | undefined>((before, more) => seenMore(before, digest, more), undefined)

describe("a held mail is shown whole", () => {
  it("once its text and its end came into sight", () => {
    const mail = draft({ bodyText: "Hello" })
    expect(isShownWhole(mail, undefined)).toBe(false)
    expect(isShownWhole(mail, seenOf(mail.digest, "text"))).toBe(false)
    expect(isShownWhole(mail, seenOf(mail.digest, "end"))).toBe(false)
    expect(isShownWhole(mail, seenOf(mail.digest, "text", "end"))).toBe(true)
  })

  it("with two versions only when both came into sight", () => {
    expect(partsOf(both)).toEqual(["html", "text"])
    expect(isShownWhole(both, seenOf(both.digest, "html", "end"))).toBe(false)
    expect(isShownWhole(both, seenOf(both.digest, "end", "text", "html"))).toBe(true)
  })

  it("not while the list has cut it", () => {
    expect(isShownWhole({ ...both, truncated: true }, seenOf(both.digest, "html", "text", "end"))).toBe(false)
  })

  it("not any more when its content has changed", () => {
    const seen = seenOf(both.digest, "html", "text", "end")
    expect(isShownWhole({ ...both, digest: "other" }, seen)).toBe(false)
    expect(seenMore(seen, "other", "end")).toEqual({ digest: "other", parts: new Set(), end: true })
  })
})

describe("several are decided together", () => {
  it("only those that were chosen and shown whole", () => {
    const [read, unread, other] = ["1", "2", "3"].map((id) => draft({ id, bodyText: "Hello" }))
    if (read === undefined || unread === undefined || other === undefined) throw new Error("three drafts")
    const seen = new Map([
      ["1", seenMore(seenMore(undefined, read.digest, "text"), read.digest, "end")],
      ["2", seenMore(undefined, unread.digest, "end")],
      ["3", seenMore(seenMore(undefined, other.digest, "text"), other.digest, "end")],
    ])
    expect(decidable([read, unread, other], new Set(["1", "2"]), seen)).toEqual([read])
  })
})

describe("why a mail waits", () => {
  it.each([
    [[{ code: "EVERY_SEND" }], "This mailbox asks for your approval of every mail."],
    [
      [{ code: "EVERY_SEND" }, { code: "NEW_RECIPIENT", address: "eve@acme.dev" }],
      "This mailbox asks for your approval of every mail. One recipient is new to it.",
    ],
    [
      [
        { code: "NEW_RECIPIENT", address: "eve@acme.dev" },
        { code: "NEW_RECIPIENT", address: "dan@acme.dev" },
      ],
      "This mailbox asks for your approval of mail to new recipients. 2 recipients are new to it.",
    ],
  ] as const)("%j", (reasons, text) => {
    expect(holdText(reasons)).toBe(text)
  })

  it("new recipients are found whatever the case of their address", () => {
    expect(newRecipients([{ code: "NEW_RECIPIENT", address: "Eve@acme.dev" }])).toEqual(
      new Set(["eve@acme.dev"]),
    )
  })
})

describe("an approval", () => {
  const later = (sendAt: string | null) => ({ draft: draft({ status: "SCHEDULED", sendAt }) })
  it.each([
    ["sends", { message }, false, { kind: "sent", text: "Approved and sent." }],
    [
      "waits for the time of the mail",
      later("2026-03-10T09:00:00Z"),
      false,
      {
        kind: "later",
        text: `Approved. It leaves ${leavingText(new Date("2026-03-10T09:00:00Z"), "en-GB")}.`,
      },
    ],
    [
      "waits while sending is paused",
      later("2026-03-10T09:00:00Z"),
      true,
      { kind: "later", text: "Approved. It leaves when you resume sending." },
    ],
    [
      "waits for the mail server",
      later("2026-03-09T11:00:00Z"),
      false,
      { kind: "later", text: "Approved. It leaves as soon as the mail server can be reached." },
    ],
  ] as const)("%s", (_, result, isPaused, outcome) => {
    expect(approvalOutcome(result, isPaused, NOON, "en-GB")).toEqual(outcome)
  })

  it("that is refused says why, and names the recipient", () => {
    const error = { code: "RECIPIENT_SUPPRESSED", message: "bob@acme.dev is on the suppression list" }
    const outcome = approvalOutcome({ draft: draft({ status: "FAILED", error }) }, false, NOON)
    expect(outcome).toMatchObject({ kind: "failed", text: expect.stringContaining("(bob@acme.dev)") })
  })
})

describe("somebody was faster", () => {
  it.each([
    ["NOT_PENDING_REVIEW", "decided"],
    ["DIGEST_MISMATCH", "changed"],
    ["DRAFT_NOT_FOUND", "gone"],
    ["RELAY_REFUSED", null],
  ] as const)("%s: %s", (code, conflict) => {
    expect(conflictOf(new MailroomError("no", { code }))).toBe(conflict)
  })

  it("is told by what the mail is now", () => {
    const expired = { code: "REVIEW_EXPIRED", message: "" }
    expect([
      fateOf(null),
      fateOf(draft({ status: "DRAFT" })),
      fateOf(draft({ status: "SCHEDULED" })),
      fateOf(draft({ status: "FAILED" })),
      fateOf(draft({ status: "REJECTED", error: { code: "REJECTED", message: "No" } })),
      fateOf(draft({ status: "REJECTED", error: expired })),
      fateOf(draft({ status: "PENDING_REVIEW" })),
    ]).toEqual(["gone", "taken back", "approved", "approved", "rejected", "expired", null])
  })

  it("is told by the event", () => {
    const fates = (
      [
        ["draft.approved", {}],
        ["draft.rejected", {}],
        ["draft.expired", {}],
        ["draft.withdrawn", { deleted: false }],
        ["draft.withdrawn", { deleted: true }],
        ["message.sent", {}],
        ["message.received", {}],
      ] as const
    ).map(([event, data]) => fateOfEvent({ event, data }))
    expect(fates).toEqual(["approved", "rejected", "expired", "taken back", "gone", "gone", undefined])
  })

  it("names who decided", () => {
    const key = { kind: "key", id: "1", name: "Second pair of eyes" } as const
    expect(settledWords({ fate: "approved", by: key }).text).toBe(
      "The key “Second pair of eyes” approved this mail.",
    )
    expect(settledWords({ fate: "rejected", by: { kind: "session", id: "1" } }).text).toBe(
      "You, in another tab or on another device, rejected this mail. It was not sent.",
    )
    expect(settledWords({ fate: "rejected", by: null }).text).toMatch(/^Somebody rejected/)
    expect(settledWords({ fate: "expired", by: null }).title).toBe("Too late")
  })
})

describe("the changes of a reviewer", () => {
  const mail = draft({ to: ["ada@acme.dev"], subject: "Plan", bodyText: "Hello", bodyHtml: "<p>Hello</p>" })
  const unchanged = {
    to: mail.to,
    cc: mail.cc,
    bcc: mail.bcc,
    subject: "Plan",
    text: "Hello",
    html: mail.bodyHtml,
    files: mail.attachments,
  }

  it("are none when nothing is changed", () => {
    expect(editsOf(mail, "Hello", unchanged)).toBeNull()
  })

  it("are those fields alone, and end the formatted version", () => {
    expect(editsOf(mail, "Hello", { ...unchanged, text: "Hi", html: null, bcc: ["bob@acme.dev"] })).toEqual({
      bcc: ["bob@acme.dev"],
      bodyText: "Hi",
      bodyHtml: null,
    })
  })

  it("name all files that stay", () => {
    expect(editsOf(mail, "Hello", { ...unchanged, files: [] })).toBeNull()
    const [file] = draft({ files: 2 }).attachments
    if (file === undefined) throw new Error("a file")
    expect(editsOf(draft({ ...mail, files: 2 }), "Hello", { ...unchanged, files: [file] })).toEqual({
      attachments: [file.id],
    })
  })
})

describe("several mails that a reviewer changes side by side", () => {
  const [price, offer] = ["price", "offer"].map((id) => draft({ id, subject: id, bodyText: "Hello" }))
  if (price === undefined || offer === undefined) throw new Error("two drafts")
  const first = changeEditing(beginEditing(new Map(), price, "Hello"), "price", { text: "Good day" })

  it("keep the changes of each, also when one is opened again", () => {
    const both = changeEditing(beginEditing(first, offer, "Hello"), "offer", { subject: "Our offer" })
    expect(both.get("price")?.edited).toMatchObject({ text: "Good day", subject: "price" })
    expect(both.get("offer")?.edited).toMatchObject({ text: "Hello", subject: "Our offer" })
    expect(beginEditing(both, { ...price, bodyText: "Changed" }, "Changed").get("price")).toBe(
      both.get("price"),
    )
    expect(unsavedText(both)).toBe("Your changes to 2 mails are not kept.")
    expect([...endEditing(both, "price").keys()]).toEqual(["offer"])
  })

  it("lose nothing when the page is left unless something was changed", () => {
    expect(unsavedText(beginEditing(new Map(), offer, "Hello"))).toBeNull()
    expect(unsavedText(beginEditing(first, offer, "Hello"))).toBe("Your changes to 1 mail are not kept.")
    expect(unsavedText(changeEditing(first, "price", { text: "Hello" }))).toBeNull()
  })

  it("leave out what is typed into one that has ended", () => {
    expect(changeEditing(endEditing(first, "price"), "price", { text: "Late" }).size).toBe(0)
  })
})
