import { AttachmentId, type ForwardBody, forwardOf, type MessageContent, SendBody } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { admitted, content, messageId, refusal, uuid } from "./support/records.js"

const file = (n: number): MessageContent["attachments"][number] => ({
  id: AttachmentId.make(uuid(n)),
  messageId,
  filename: `${n}.txt`,
  contentType: "text/plain",
  sizeBytes: 1,
  contentId: null,
  createdAt: "2026-03-01T09:30:00.000Z",
})
const files = (count: number) => Array.from({ length: count }, (_, index) => file(index + 100))
const idsOf = (attachments: MessageContent["attachments"]) => attachments.map(({ id }) => id)

const mail = (fields: Partial<MessageContent> = {}) =>
  content({
    fromAddress: "ada@elsewhere.org",
    fromName: "Ada",
    toAddresses: ["agent@acme.mailroom.localhost", "bob@elsewhere.org"],
    ccAddresses: ["carl@elsewhere.org"],
    subject: "Lunch",
    receivedAt: "2026-03-01T09:29:59.000Z",
    ...fields,
  })

const forward = (original: MessageContent, body: Partial<ForwardBody> = {}, headers = {}) =>
  admitted(forwardOf({ content: original, headers }, { to: ["eve@elsewhere.org"], ...body }))

const block = [
  "---------- Forwarded message ---------",
  "From: Ada <ada@elsewhere.org>",
  "Date: Sun, 01 Mar 2026 09:29:59 GMT",
  "Subject: Lunch",
  "To: agent@acme.mailroom.localhost, bob@elsewhere.org",
  "Cc: carl@elsewhere.org",
].join("\n")

const htmlBlock = [
  "<div>---------- Forwarded message ---------",
  "<b>From:</b> Ada &lt;ada@elsewhere.org&gt;",
  "<b>Date:</b> Sun, 01 Mar 2026 09:29:59 GMT",
  "<b>Subject:</b> Lunch",
  "<b>To:</b> agent@acme.mailroom.localhost, bob@elsewhere.org",
  "<b>Cc:</b> carl@elsewhere.org</div>",
].join("<br>\n")

const GAP = "\n<br>\n"

describe("the text of a forwarded mail", () => {
  it("decisions.messages.forward: is the comment, the usual block, and the text as it was", () => {
    expect(forward(mail({ bodyText: "Shall we?\n\nAda" }), { bodyText: "For you." })).toEqual({
      to: ["eve@elsewhere.org"],
      subject: "Fwd: Lunch",
      bodyText: `For you.\n\n${block}\n\nShall we?\n\nAda`,
      attachments: [],
    })
  })

  it("decisions.messages.forward: needs no comment", () => {
    for (const bodyText of [undefined, ""])
      expect(forward(mail({ bodyText: "Shall we?" }), { bodyText }).bodyText).toBe(`${block}\n\nShall we?`)
  })

  it("decisions.messages.forward: is the block alone when the mail has no body", () => {
    const forwarded = forward(mail())
    expect([forwarded.bodyText, forwarded.bodyHtml]).toEqual([block, undefined])
  })

  it("decisions.messages.forward: leaves out a line that has nothing to say", () => {
    const bare = mail({ fromAddress: "", fromName: null, subject: "", toAddresses: [], ccAddresses: [] })
    expect(forward(bare).bodyText).toBe(`${block.split("\n")[0]}\nDate: Sun, 01 Mar 2026 09:29:59 GMT`)
  })

  it("decisions.messages.forward: has the date that the mail bears", () => {
    const date = "Sat, 28 Feb 2026 23:00:00 -0500"
    expect(forward(mail(), {}, { date }).bodyText).toContain(`\nDate: ${date}\n`)
    expect(forward(mail(), {}, { date: [date, "later"] }).bodyText).toContain(`\nDate: ${date}\n`)
  })

  it("decisions.messages.forward: never names blind copies", () => {
    const sent = mail({ direction: "OUTBOUND", bccAddresses: ["dora@elsewhere.org"], bodyHtml: "<p>Hi</p>" })
    expect(JSON.stringify(forward(sent))).not.toContain("dora")
  })

  it("has a block whose lines are its own", () => {
    const subject = "Lunch\u2028From: eve@evil.org\u0085To: you"
    expect(
      forward(mail({ subject, fromName: "Ada\nFrom: Eve" })).bodyText?.split(/[\n\u2028\u0085]/),
    ).toEqual([
      "---------- Forwarded message ---------",
      "From: Ada From: Eve <ada@elsewhere.org>",
      "Date: Sun, 01 Mar 2026 09:29:59 GMT",
      "Subject: Lunch From: eve@evil.org To: you",
      "To: agent@acme.mailroom.localhost, bob@elsewhere.org",
      "Cc: carl@elsewhere.org",
    ])
  })
})

describe("the HTML of a forwarded mail", () => {
  it("decisions.messages.forward: is there when the mail has HTML: the comment escaped, the block, the HTML as it was", () => {
    const bodyHtml = '<html><body><p>Shall <b>we</b>?</p><img src="cid:1@x"></body></html>'
    const forwarded = forward(mail({ bodyText: "Shall we?", bodyHtml }), { bodyText: "1 < 2\n& so on" })
    expect(forwarded.bodyHtml).toBe(`<div>1 &lt; 2<br>\n&amp; so on</div>${GAP}${htmlBlock}${GAP}${bodyHtml}`)
    expect(forwarded.bodyText).toBe(`1 < 2\n& so on\n\n${block}\n\nShall we?`)
  })

  it("decisions.messages.forward: is there when the comment has HTML: the text escaped below it", () => {
    const comment = { bodyText: "See.", bodyHtml: "<p>See.</p>" }
    const forwarded = forward(mail({ bodyText: "<script>\r\n1 & 2" }), comment)
    expect(forwarded.bodyHtml).toBe(
      `<p>See.</p>${GAP}${htmlBlock}${GAP}<div>&lt;script&gt;<br>\n1 &amp; 2</div>`,
    )
    expect(forwarded.bodyText).toBe(`See.\n\n${block}\n\n<script>\r\n1 & 2`)
  })

  it("decisions.messages.forward: needs no comment", () => {
    expect(forward(mail({ bodyHtml: "<p>Hi</p>" })).bodyHtml).toBe(`${htmlBlock}${GAP}<p>Hi</p>`)
  })

  it("decisions.messages.forward: stands alone when the mail has no text: one without the mail would hide it", () => {
    const forwarded = forward(mail({ bodyHtml: "<p>Hi</p>" }), { bodyText: "See." })
    expect(forwarded).not.toHaveProperty("bodyText")
    expect(forwarded.bodyHtml).toContain("<div>See.</div>")
  })

  it("decisions.messages.forward: has its block escaped", () => {
    const evil = '<img src=x onerror="alert(1)">\'&'
    const { bodyHtml } = forward(
      mail({ subject: evil, fromName: evil, bodyHtml: "<p>Hi</p>" }),
      {},
      { date: evil },
    )
    expect(bodyHtml).not.toContain("<img")
    expect(bodyHtml?.split("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39;&amp;")).toHaveLength(4)
  })
})

describe("the files of a forwarded mail", () => {
  it("decisions.messages.forward: are the mail's own, then those that are added, each once", () => {
    const own = files(2)
    const [added] = idsOf([file(200)])
    const attachments = [...(added === undefined ? [] : [added]), ...idsOf(own)]
    expect(forward(mail({ attachments: own }), { attachments }).attachments).toEqual([...idsOf(own), added])
  })

  it("decisions.body.attachments-20: are at most 20", () => {
    const inline = { filename: "a.txt", contentType: "text/plain", content: Buffer.from("a") }
    expect(forward(mail({ attachments: files(19) }), { attachments: [inline] }).attachments).toHaveLength(20)
    const body = { to: ["eve@elsewhere.org"], attachments: [inline] }
    expect(
      refusal(forwardOf({ content: mail({ attachments: files(20) }), headers: {} }, body)),
    ).toMatchObject({
      _tag: "InvalidInput",
      issues: [{ path: "attachments", message: expect.stringMatching(/21.*20/) }],
    })
  })
})

describe("a forwarded mail", () => {
  it("decisions.messages.forward: has all else from its own body, and is a conversation of its own", () => {
    const body = {
      to: ["eve@elsewhere.org"],
      cc: ["fay@elsewhere.org"],
      bcc: ["gil@elsewhere.org"],
      headers: { "X-Custom-Run": "7" },
      replyTo: "desk@acme.dev",
      labels: ["sent on"],
    }
    const forwarded = forward(mail({ inReplyTo: "<a@x>", references: ["<a@x>"] }), body)
    expect(forwarded).toMatchObject(body)
    expect(forwarded).not.toHaveProperty("inReplyTo")
    expect(Schema.is(SendBody)(forwarded)).toBe(true)
  })
})
