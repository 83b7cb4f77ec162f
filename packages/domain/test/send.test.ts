import {
  ForwardBody,
  InlineAttachment,
  parseNamed,
  recipientsOf,
  ReplyBody,
  SendBody,
} from "@mailroom/domain"
import { Option, Schema } from "effect"
import { describe, expect, it } from "@effect/vitest"
import { accepts, read, uuid } from "./support/records.js"

const body = (fields: Record<string, unknown> = {}) => ({
  to: ["ada@acme.dev"],
  subject: "Plan",
  bodyText: "Hello",
  ...fields,
})
const addresses = (n: number) => Array.from({ length: n }, (_, i) => `ada${i}@acme.dev`)
const breaks = { CR: "\r", LF: "\n", "CR LF": "\r\n", NUL: "\u0000", "U+2028": "\u2028", "U+2029": "\u2029" }

describe("the send body", () => {
  it("decisions.body.to: to, subject and a text are enough", () => {
    expect(accepts(SendBody, body())).toBe(true)
  })

  it("decisions.body.to: `to` has 1 to 50 addresses", () => {
    for (const [n, fine] of [
      [0, false],
      [1, true],
      [50, true],
      [51, false],
    ] as const)
      expect(accepts(SendBody, body({ to: addresses(n) })), String(n)).toBe(fine)
    expect(accepts(SendBody, body({ to: "ada@acme.dev" }))).toBe(false)
  })

  it("decisions.body.cc: `cc`, `bcc` and `replyTo` hold addresses", () => {
    expect(accepts(SendBody, body({ cc: addresses(2), bcc: addresses(2), replyTo: "bob@acme.dev" }))).toBe(
      true,
    )
    for (const field of ["cc", "bcc"]) {
      expect(accepts(SendBody, body({ [field]: [] })), field).toBe(true)
      expect(accepts(SendBody, body({ [field]: ["no address"] })), field).toBe(false)
      expect(accepts(SendBody, body({ [field]: addresses(50) })), field).toBe(true)
      expect(accepts(SendBody, body({ [field]: addresses(51) })), field).toBe(false)
    }
    expect(accepts(SendBody, body({ replyTo: "Bob <bob@acme.dev>, eve@acme.dev" }))).toBe(false)
  })

  it("`to`, `cc`, `bcc` and `replyTo` may have display names, and count as their addresses", () => {
    const named = read(SendBody, {
      ...body({ replyTo: "Desk <desk@acme.dev>", bcc: ["<eve@acme.dev>"] }),
      to: ["Ada <ADA@acme.dev>", '"Doe, \\"Bob\\" <b>" <bob@acme.dev>', "ada@acme.dev"],
    })
    expect(recipientsOf(named)).toEqual(["ada@acme.dev", "bob@acme.dev", "eve@acme.dev"])
    expect(named.to.map(parseNamed)).toEqual([
      { name: "Ada", address: "ADA@acme.dev" },
      { name: 'Doe, "Bob" <b>', address: "bob@acme.dev" },
      { name: null, address: "ada@acme.dev" },
    ])
    for (const wrong of [
      "Ada <ada@acme.dev",
      "Ada ada@acme.dev",
      "Ada <ada@acme.dev> <bob@acme.dev>",
      "Ada <ada@acme.dev>, Bob <bob@acme.dev>",
      '"Ada <ada@acme.dev>',
      "Ada <>",
      "Ada\r\nBcc: eve@evil.dev <ada@acme.dev>",
      `${"a".repeat(256)} <ada@acme.dev>`,
    ])
      expect(accepts(SendBody, body({ to: [wrong] })), wrong).toBe(false)
  })

  it("an attachment may have a content id, with or without angle brackets", () => {
    const file = { filename: "logo.png", contentType: "image/png", content: "QQ==" }
    for (const [contentId, read] of [
      ["logo", "logo"],
      ["<logo@acme.dev>", "logo@acme.dev"],
      ["", null],
      ["a b", null],
      ["a>b", null],
      ["ü", null],
      ["a\r\nb", null],
    ] as const) {
      const decoded = Schema.decodeUnknownOption(InlineAttachment)({ ...file, contentId })
      expect([contentId, Option.getOrNull(Option.map(decoded, (one) => one.contentId))]).toEqual([
        contentId,
        read,
      ])
    }
  })

  it("decisions.body.subject: the subject has 1 to 998 characters", () => {
    for (const [n, fine] of [
      [0, false],
      [1, true],
      [998, true],
      [999, false],
    ] as const)
      for (const character of ["s", "é", "𝄞"])
        expect(accepts(SendBody, body({ subject: character.repeat(n) })), `${character} ${n}`).toBe(fine)
  })

  it("decisions.body.bodies: a text or an HTML body is required", () => {
    expect(accepts(SendBody, body({ bodyText: undefined, bodyHtml: "<p>Hello</p>" }))).toBe(true)
    expect(accepts(SendBody, body({ bodyHtml: "<p>Hello</p>" }))).toBe(true)
    expect(accepts(SendBody, { to: ["ada@acme.dev"], subject: "Plan" })).toBe(false)
    expect(accepts(SendBody, body({ bodyText: "" }))).toBe(false)
  })

  it("decisions.body.in-reply-to-id: `inReplyTo` is our id or an RFC id", () => {
    expect(accepts(SendBody, body({ inReplyTo: uuid(5) }))).toBe(true)
    expect(accepts(SendBody, body({ inReplyTo: "<CAF=x+1@mail.acme.dev>" }))).toBe(true)
    expect(read(SendBody, body({ inReplyTo: "CAF=x+1@mail.acme.dev" })).inReplyTo).toBe(
      "<CAF=x+1@mail.acme.dev>",
    )
    for (const other of [
      "",
      "hello",
      "<a@b",
      "a@b>",
      "<a b@c>",
      "<a@b> <c@d>",
      "<a@b>\r\nBcc: x@y.dev",
      "<a\r\n@b>",
      "<a\u0000@b>",
    ])
      expect(accepts(SendBody, body({ inReplyTo: other })), other).toBe(false)
  })

  it("decisions.body.attachments-20: at most 20 attachments", () => {
    const ids = (n: number) => Array.from({ length: n }, (_, i) => uuid(i + 10))
    expect(accepts(SendBody, body({ attachments: ids(20) }))).toBe(true)
    expect(accepts(SendBody, body({ attachments: ids(21) }))).toBe(false)
  })

  it("decisions.body.attachments-inline: an attachment is an id or {filename, contentType, content: base64}", () => {
    const file = { filename: "a.csv", contentType: "text/csv", content: "SGVsbG8=" }
    expect(read(SendBody, body({ attachments: [uuid(9), file] }))).toMatchObject({
      attachments: [
        uuid(9),
        { filename: "a.csv", contentType: "text/csv", content: new TextEncoder().encode("Hello") },
      ],
    })
    for (const wrong of [
      "no id",
      { ...file, content: "%%%" },
      { ...file, contentType: "csv" },
      { ...file, contentType: "text/csv\r\nX-A: b" },
      { ...file, contentType: 'text/csv; name="x"' },
      { ...file, filename: "" },
      { filename: "a.csv", contentType: "text/csv" },
      { ...file, path: undefined, content: { path: "/etc/passwd" } },
    ])
      expect(accepts(SendBody, body({ attachments: [wrong] })), JSON.stringify(wrong)).toBe(false)
  })

  it("decisions.body.labels: labels are up to 20 of 1 to 64 characters on one line", () => {
    const labels = (n: number) => Array.from({ length: n }, (_, i) => `label ${i}`)
    for (const fine of [[], labels(20), ["l".repeat(64)]])
      expect(accepts(SendBody, body({ labels: fine })), JSON.stringify(fine)).toBe(true)
    for (const wrong of [labels(21), [""], ["l".repeat(65)], ["a\nb"], "label"])
      expect(accepts(SendBody, body({ labels: wrong })), JSON.stringify(wrong)).toBe(false)
  })

  it("decisions.body.headers: custom headers begin with X-Custom-", () => {
    expect(accepts(SendBody, body({ headers: { "X-Custom-Run": "7", "x-custom-step": "two" } }))).toBe(true)
  })

  for (const name of [
    "Bcc",
    "X-Mailer",
    "Custom-Run",
    "X-Custom-",
    "X-Custom-A b",
    "X-Custom-A\r\nBcc",
    "__proto__",
  ])
    it(`decisions.body.headers: a header ${JSON.stringify(name)} is refused, not dropped`, () => {
      const headers = Object.fromEntries([
        ["X-Custom-Run", "7"],
        [name, "eve@evil.dev"],
      ])
      expect(accepts(SendBody, body({ headers }))).toBe(false)
    })

  for (const [name, character] of Object.entries(breaks))
    it(`decisions.body.line-breaks: no ${name} in any header value`, () => {
      const value = `a${character}Bcc: eve@evil.dev`
      for (const fields of [
        { subject: value },
        { subject: `a${character}` },
        { to: [value] },
        { cc: [`ada${character}@acme.dev`] },
        { bcc: [`ada${character}@acme.dev`] },
        { replyTo: `ada${character}@acme.dev` },
        { inReplyTo: `<a${character}@b>` },
        { headers: { "X-Custom-Run": value } },
        { attachments: [{ filename: value, contentType: "text/csv", content: "" }] },
        { attachments: [{ filename: "a.csv", contentType: `text/csv${character}`, content: "" }] },
      ])
        expect(accepts(SendBody, body(fields)), JSON.stringify(fields)).toBe(false)
    })

  it("decisions.body.line-breaks: bodies may have line breaks", () => {
    expect(accepts(SendBody, body({ bodyText: "a\r\nb\n", bodyHtml: "<p>\r\n</p>" }))).toBe(true)
  })

  it("decisions.values.addresses: recipients count once, lower-case, in the order to, cc, bcc", () => {
    expect(
      recipientsOf({
        to: ["B@acme.dev", "a@acme.dev"],
        cc: ["b@ACME.dev", "C@acme.dev"],
        bcc: ["a@acme.dev", "d@acme.dev"],
      }),
    ).toEqual(["b@acme.dev", "a@acme.dev", "c@acme.dev", "d@acme.dev"])
    expect(recipientsOf({ to: ["a@acme.dev"] })).toEqual(["a@acme.dev"])
    expect(recipientsOf({ to: ["a@b\u00fccher.de"], cc: ["A@xn--bcher-kva.de"] })).toEqual([
      "a@xn--bcher-kva.de",
    ])
  })
})

describe("the body of an answer", () => {
  it("decisions.messages.reply: is the send body without `to`, `subject` and what it answers", () => {
    expect(accepts(ReplyBody, { bodyText: "Yes." })).toBe(true)
    const fields = { to: ["eve@evil.dev"], subject: "Other", inReplyTo: "<a@b>", cc: ["ada@acme.dev"] }
    expect(read(ReplyBody, { bodyText: "Yes.", ...fields })).toEqual({
      bodyText: "Yes.",
      cc: ["ada@acme.dev"],
    })
  })

  it("decisions.messages.reply: needs a text or an HTML part, as any send", () => {
    expect(accepts(ReplyBody, {})).toBe(false)
    expect(accepts(ReplyBody, { bodyText: "", bodyHtml: "" })).toBe(false)
    expect(accepts(ReplyBody, { bodyHtml: "<p>Yes.</p>" })).toBe(true)
  })

  it("decisions.messages.reply: holds its fields to the rules of a send", () => {
    for (const wrong of [
      { cc: addresses(51) },
      { bcc: ["nobody"] },
      { headers: { "X-Mailer": "mine" } },
      { labels: [""] },
      { replyTo: "nobody" },
      { attachments: ["no id"] },
    ]) {
      expect(accepts(ReplyBody, { bodyText: "Yes.", ...wrong }), JSON.stringify(wrong)).toBe(false)
      expect(accepts(ForwardBody, { to: ["ada@acme.dev"], ...wrong }), JSON.stringify(wrong)).toBe(false)
    }
  })
})

describe("the body of a forwarded mail", () => {
  it("decisions.messages.forward: is the send body without `subject`, and needs no text", () => {
    expect(accepts(ForwardBody, { to: ["ada@acme.dev"] })).toBe(true)
    expect(read(ForwardBody, body({ inReplyTo: "<a@b>" }))).toEqual({
      to: ["ada@acme.dev"],
      bodyText: "Hello",
      inReplyTo: "<a@b>",
    })
  })

  it("decisions.body.to: `to` has 1 to 50 addresses", () => {
    for (const [n, fine] of [
      [0, false],
      [50, true],
      [51, false],
    ] as const)
      expect(accepts(ForwardBody, { to: addresses(n) }), String(n)).toBe(fine)
    expect(accepts(ForwardBody, { bodyText: "Hello" })).toBe(false)
  })
})
