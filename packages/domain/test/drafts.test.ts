/** What a policy holds, what a digest covers, and how drafts change their states. */
import {
  approvableText,
  approved,
  atItsTime,
  authorOf,
  changedContent,
  contentOf,
  contentSize,
  DAY,
  digestedText,
  draftError,
  DraftContent,
  DraftId,
  type DraftRecord,
  expired,
  failed,
  filesOf,
  held,
  HOUR,
  isApproved,
  MINUTE,
  NotFound,
  noContent,
  outboundDecision,
  OverInboundLimit,
  parked,
  PaymentRequired,
  postponed,
  RecipientSuppressed,
  rejected,
  scheduled,
  scheduledAt,
  sendBodyOf,
  sentDraftBytes,
  viewDraft,
  withdrawn,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import { accountId, attachmentId, mailboxId, messageId, signedUp, uuid } from "./support/records.js"

const known = { known: new Set(["ada@acme.dev", "bob@acme.dev"]) }
const hold = (...addresses: ReadonlyArray<string>) => ({
  kind: "hold",
  reasons: addresses.map((address) => ({ code: "NEW_RECIPIENT", address })),
})

describe("drafts.review.policy: a policy", () => {
  it.each([
    ["open", ["eve@acme.dev"], { kind: "send" }],
    ["review", ["ada@acme.dev"], { kind: "hold", reasons: [{ code: "EVERY_SEND" }] }],
    [
      "review",
      ["ada@acme.dev", "eve@acme.dev"],
      { kind: "hold", reasons: [{ code: "EVERY_SEND" }, { code: "NEW_RECIPIENT", address: "eve@acme.dev" }] },
    ],
    ["review_new", ["ada@acme.dev", "bob@acme.dev"], { kind: "send" }],
    ["review_new", ["ada@acme.dev", "eve@acme.dev", "dan@acme.dev"], hold("eve@acme.dev", "dan@acme.dev")],
    ["review_new", ["ada+x@acme.dev"], hold("ada+x@acme.dev")],
  ] as const)("%s with %j: %j", (policy, recipients, decision) => {
    expect(outboundDecision(policy, recipients, known)).toEqual(decision)
  })
})

const content: DraftContent = {
  to: ["Ada <ada@acme.dev>"],
  cc: ["bob@acme.dev"],
  bcc: ["dan@acme.dev"],
  subject: "Plan",
  bodyText: "Hello",
  bodyHtml: "<p>Hello</p>",
  replyTo: "reply@acme.dev",
  headers: { "X-Custom-B": "2", "X-Custom-A": "1" },
  labels: ["one"],
  bulk: true,
  attachments: [
    {
      id: attachmentId,
      filename: "a.png",
      contentType: "image/png",
      sizeBytes: 7,
      contentId: "logo",
      sha256: "1".repeat(64),
    },
  ],
  reply: {
    inReplyTo: messageId,
    messageId,
    links: { inReplyTo: "<a@acme.dev>", references: ["<a@acme.dev>"] },
    automated: false,
  },
  calendar: { method: "REPLY", content: "BEGIN:VCALENDAR" },
  submitted: null,
}
const [file = null] = content.attachments
const submittedFile = file && { ...file, fromName: "Ada" }

describe("drafts.digest: the digest", () => {
  const { reply } = content
  it.each<readonly [string, Partial<DraftContent>]>([
    ["to", { to: ["Ada  <ada@acme.dev>"] }],
    ["cc", { cc: [] }],
    ["bcc", { bcc: ["dan@acme.dev", "eve@acme.dev"] }],
    ["a recipient that moved", { to: content.cc, cc: content.to }],
    ["subject", { subject: "Plan " }],
    ["no subject", { subject: null }],
    ["bodyText", { bodyText: "hello" }],
    ["bodyHtml", { bodyHtml: null }],
    ["bodies that changed places", { bodyText: content.bodyHtml, bodyHtml: content.bodyText }],
    ["replyTo", { replyTo: null }],
    ["headers", { headers: { ...content.headers, "X-Custom-A": "2" } }],
    ["the bytes of a file", { attachments: file ? [{ ...file, sha256: "2".repeat(64) }] : [] }],
    ["the name of a file", { attachments: file ? [{ ...file, filename: "b.png" }] : [] }],
    ["a file more", { attachments: file ? [file, file] : [] }],
    ["the reply", { reply: reply && { ...reply, links: { inReplyTo: "<b@acme.dev>", references: [] } } }],
    ["bulk", { bulk: false }],
    ["a submitted mail", { submitted: submittedFile }],
    ["the calendar", { calendar: { method: "REPLY", content: "BEGIN:VCALENDAR\n" } }],
  ])("changes with %s", (_, change) => {
    expect(digestedText({ ...content, ...change })).not.toBe(digestedText(content))
  })

  it("does not depend on labels, ids of files, and the order of header fields", () => {
    const same: DraftContent = {
      ...content,
      labels: [],
      headers: { "X-Custom-A": "1", "X-Custom-B": "2" },
      attachments: content.attachments.map((one) => ({ ...one, id: file?.id ?? one.id })),
    }
    expect(digestedText(same)).toBe(digestedText(content))
  })
})

describe("drafts.digest: what an approver sees beside the content", () => {
  const mailbox = { fullAddress: "agent@acme.dev", displayName: "Ada" }
  const seen = { content, digest: "a", sendAt: Date.UTC(2026, 2, 10) }

  it.each<readonly [string, Partial<typeof seen>, Partial<typeof mailbox>]>([
    ["the content", { digest: "b" }, {}],
    ["the time", { sendAt: seen.sendAt + 1 }, {}],
    ["the display name", {}, { displayName: "Eve" }],
  ])("changes with %s", (_, draft, changed) => {
    expect(approvableText({ ...seen, ...draft }, { ...mailbox, ...changed })).not.toBe(
      approvableText(seen, mailbox),
    )
  })

  it("is the content alone without a name and a time, and the name of a submitted mail is in its bytes", () => {
    expect(approvableText({ ...seen, sendAt: null }, { ...mailbox, displayName: null })).toBeNull()
    const submitted = { ...seen, content: { ...content, submitted: submittedFile }, sendAt: null }
    expect(approvableText(submitted, mailbox)).toBeNull()
  })
})

describe("the content of a draft", () => {
  it("gives back the body of the send that it keeps", () => {
    const body = Either.getOrThrow(sendBodyOf(content))
    expect(body).toMatchObject({ to: content.to, inReplyTo: messageId, attachments: [attachmentId] })
    expect(contentOf(body, content.attachments, content.reply, content.calendar, null)).toEqual(content)
  })

  it("keeps a submitted mail until what it says changes, and needs no subject and no text while it has one", () => {
    const submitted: DraftContent = { ...noContent, bcc: ["bob@acme.dev"], submitted: submittedFile }
    expect(Either.getOrThrow(sendBodyOf(submitted))).toMatchObject({ to: [], subject: "" })
    const labelled = changedContent(submitted, { labels: ["new"], to: [] }, [], null)
    expect(labelled).toEqual({ ...submitted, labels: ["new"] })
    expect(changedContent(submitted, { subject: "New" }, [], null)).toEqual({
      ...submitted,
      subject: "New",
      submitted: null,
    })
    expect([filesOf(submitted), filesOf(content), filesOf(noContent)]).toEqual([
      [attachmentId],
      [attachmentId],
      [],
    ])
    expect(sentDraftBytes({ content: submitted, sizeBytes: 3 })).toBe(10)
  })

  it("reads a content that an earlier version stored", () => {
    const before = JSON.parse(JSON.stringify({ ...content, submitted: undefined }))
    expect(before).not.toHaveProperty("submitted")
    expect(Schema.decodeUnknownSync(DraftContent)(before)).toEqual(content)
  })

  it("names every field that a send still needs", () => {
    expect(sendBodyOf(noContent)).toMatchObject({
      left: { issues: [{ path: "to" }, { path: "subject" }, { path: "bodyText" }] },
    })
  })

  it("counts its bytes in UTF-8, without its files", () => {
    const empty = contentSize(noContent)
    expect(contentSize({ ...noContent, attachments: content.attachments })).toBe(empty)
    expect(contentSize({ ...noContent, bodyText: "é" }) - empty).toBe(`"é"`.length + 1 - "null".length)
  })
})

const draft: DraftRecord = {
  id: DraftId.make(uuid(9)),
  accountId,
  mailboxId,
  status: "DRAFT",
  content,
  digest: "a",
  approvedDigest: null,
  personApprovedAt: null,
  byPerson: false,
  clientId: null,
  sendAt: null,
  review: null,
  error: null,
  dueAt: null,
  attempts: 0,
  sizeBytes: 1,
  createdAt: signedUp,
  updatedAt: signedUp,
}
const now = signedUp

describe("a draft", () => {
  const pending = held(draft, [{ code: "EVERY_SEND" }], 2, now)

  it("that is held waits until its review ends, and keeps a review that it has", () => {
    expect(pending).toMatchObject({
      status: "PENDING_REVIEW",
      dueAt: now + 2 * HOUR,
      review: { requestedAt: now, expiresAt: now + 2 * HOUR },
    })
    expect(held(pending, [], 72, now + 1)).toBe(pending)
  })

  it("counts the approval of a person for the mail that was approved, and no other", () => {
    const byPerson = approved(pending, "Ada", true, now + 5)
    expect(authorOf(byPerson, "Ada", false)).toEqual({ byPerson: false, approvedAt: now + 5 })
    for (const author of [
      authorOf(byPerson, "Eve", false),
      authorOf({ ...byPerson, digest: "b" }, "Ada", false),
      authorOf(approved(pending, "Ada", false, now + 5), "Ada", false),
      authorOf(withdrawn(byPerson), "Ada", false),
    ])
      expect(author).toEqual({ byPerson: false, approvedAt: null })
    expect(withdrawn({ ...byPerson, byPerson: true }).byPerson).toBe(false)
  })

  it("drafts.approve.time: that is approved stays so when it is due, late, or scheduled for its time again", () => {
    const at = now + DAY
    const one = approved({ ...pending, sendAt: at }, "Ada", true, now)
    const isStill = (time: Parameters<typeof atItsTime>[1]) => isApproved(atItsTime(one, time), "Ada")
    expect(isStill({ isDue: true, sendAt: null, now: at })).toBe(true)
    expect(isStill({ isDue: false, sendAt: null, now: at })).toBe(true)
    expect(isStill({ isDue: false, sendAt: at, now })).toBe(true)
    expect(isStill({ isDue: false, sendAt: null, now: at - 1 })).toBe(false)
    expect(isStill({ isDue: false, sendAt: at + 1, now })).toBe(false)
  })

  it("shows the sender of the mailbox, or that of the submitted mail", () => {
    const mailbox = { fullAddress: "agent@acme.dev", displayName: "Agent" }
    const from = (submitted: DraftContent["submitted"]) =>
      viewDraft({ ...draft, content: { ...content, submitted } }, mailbox, "a")
    expect(from(null)).toMatchObject({ fromAddress: "agent@acme.dev", fromName: "Agent" })
    const shown = from(submittedFile)
    expect(shown).toMatchObject({ fromAddress: "agent@acme.dev", fromName: "Ada", submitted: file })
    expect(shown.submitted).not.toHaveProperty("fromName")
  })

  it("that is approved is due at once, or at its later time, with the approval of this content alone", () => {
    expect(approved(pending, null, false, now + 5)).toMatchObject({
      status: "SCHEDULED",
      sendAt: now + 5,
      dueAt: now + 5,
    })
    const later = approved({ ...pending, sendAt: now + DAY }, "Ada", false, now)
    expect(later).toMatchObject({ sendAt: now + DAY, dueAt: now + DAY })
    expect(isApproved(later, "Ada")).toBe(true)
    for (const otherName of [null, "Eve"]) expect(isApproved(later, otherName)).toBe(false)
    expect(isApproved({ ...later, digest: "b" }, "Ada")).toBe(false)
    expect(isApproved(scheduled(later, now + 2 * DAY), "Ada")).toBe(true)
    expect(isApproved(withdrawn(later), "Ada")).toBe(false)
    expect(isApproved(held({ ...later, digest: "b" }, [], 1, now), "Ada")).toBe(false)
  })

  it("that is rejected, expired or failed says why, and is removed after 30 days", () => {
    expect(rejected(pending, "No", now)).toMatchObject({
      status: "REJECTED",
      error: { code: "REJECTED", message: "No" },
      dueAt: now + 30 * DAY,
    })
    expect(expired(pending, now)).toMatchObject({ status: "REJECTED", error: { code: "REVIEW_EXPIRED" } })
    expect(failed(pending, { code: "X", message: "" }, now)).toMatchObject({
      status: "FAILED",
      error: { code: "X" },
    })
  })

  it("is tried again eight times while the relay is away", () => {
    const delays: Array<number> = []
    for (let one: DraftRecord | null = postponed(draft, now); one !== null; one = postponed(one, now))
      delays.push(((one.dueAt ?? 0) - now) / MINUTE)
    expect(delays).toEqual([1, 5, 15, 30, 60, 120, 240, 480])
    expect(parked(pending).dueAt).toBeNull()
  })
})

describe("drafts.schedule.ahead: `sendAt`", () => {
  it.each([
    ["2026-03-01T09:30:00Z", "must be in the future"],
    ["2026-03-01T09:30:00.001Z", null],
    ["2026-03-01T10:30:01+01:00", null],
    ["2026-05-30T09:30:00Z", null],
    ["2026-05-30T09:30:00.001Z", "must be at most 90 days ahead"],
  ])("%s: %s", (sendAt, message) => {
    expect(scheduledAt(sendAt, now)).toMatchObject(
      message === null ? { right: Date.parse(sendAt) } : { left: { issues: [{ path: "sendAt", message }] } },
    )
  })
})

describe("drafts.schedule.failed: the error of a draft", () => {
  it.each([
    [new RecipientSuppressed({ address: "a@b.org" }), "RECIPIENT_SUPPRESSED"],
    [new PaymentRequired({ reason: "the plan has lapsed" }), "PAYMENT_REQUIRED"],
    [new NotFound({ resource: "mailbox" }), "MAILBOX_NOT_FOUND"],
    [
      new OverInboundLimit({
        gate: "INBOUND_LIMIT_EXCEEDED",
        resource: { type: "attachment", id: attachmentId },
        quota: { current: 1, limit: 1 },
        resetAt: "2026-04-01T00:00:00.000Z",
        retryAfter: 1,
      }),
      "INBOUND_LIMIT_EXCEEDED",
    ],
  ])("%s: %s", (refusal, code) => {
    expect(draftError(refusal).code).toBe(code)
  })
})
